/* Canonical predecessors from finished distances: the same tree as cpp/tree/by_search.hpp makes, on the device.
 *
 *     hop(v) = the fewest tight edges on a way from a source to v,
 *     pred(v) = the smallest u with hop(u) == hop(v) - 1 and a tight edge u -> v.
 *
 * `tight` goes over the arcs once and writes where each leads, or -1 where it is not tight (d[u] + w == d[v]); a breadth-
 * first search over what is left (bfs.c, variant TREE) does the rest. Where all edges have one and the same positive integer
 * length, hop is distance / length, and `uniform` finds the smallest predecessor in the sweep itself. Distances are public
 * ones: i64 for integers (largest: unreached), else of the weights' type. */
/* BUILD: UNWEIGHTED=1 for i64 */
/* TYPES: signed */
#if defined(DIST_f32)
#define UNREACHED bits_f32(0x7f800000u)
#define SUM(d, w) ((d) + (w))
#elif defined(DIST_f64)
#define UNREACHED bits_f64(0x7ff0000000000000ul)
#define SUM(d, w) ((d) + (w))
#else
#define UNREACHED ((DIST)0x7fffffffffffffffl)
#define SUM(d, w) ((DIST)((u64)(d) + (u64)(i64)(w))) /* a sum that wraps is negative, and no distance */
#endif
#define NONE 0x7fffffff

DEVICE u32 is_tight(DIST from, WEIGHT w, DIST to) {
    return from != UNREACHED && to != UNREACHED && SUM(from, w) == to ? 1u : 0u;
}

KERNEL tight(GLOBAL const i32 *RESTRICT tails, GLOBAL const i32 *RESTRICT heads, GLOBAL const WEIGHT *RESTRICT weights,
             i64 edges, GLOBAL const DIST *RESTRICT dist, GLOBAL i32 *RESTRICT leads) {
    for (i64 e = GLOBAL_ID; e < edges; e += GLOBAL_SIZE)
        leads[e] = is_tight(dist[tails[e]], LENGTH(e), dist[heads[e]]) ? heads[e] : -1;
}

KERNEL uniform(GLOBAL const i32 *RESTRICT tails, GLOBAL const i32 *RESTRICT heads, GLOBAL const WEIGHT *RESTRICT weights,
               i64 edges, GLOBAL const DIST *RESTRICT dist, GLOBAL i32 *pred) {
    for (i64 e = GLOBAL_ID; e < edges; e += GLOBAL_SIZE) {
        i32 u = tails[e], v = heads[e];
        if (is_tight(dist[u], LENGTH(e), dist[v]) && u < LOAD(&pred[v])) MIN_i32(&pred[v], u);
    }
}

/* What no thread has found becomes -1. */
KERNEL settle(GLOBAL i32 *pred, u32 n) {
    for (i64 v = GLOBAL_ID; v < n; v += GLOBAL_SIZE)
        if (pred[v] == NONE) pred[v] = -1;
}
