/* Bellman-Ford: predecessors for the search for a negative cycle.
 *
 * The rounds themselves are those of frontier.c, built for keys with a sign. Between a round's relax and its commit this
 * kernel reads the frontier's edges once more: where an edge made the tentative distance of v what it is, and that is
 * news, its tail becomes the predecessor of v. Several tails may tie; each is right, so any may win the race. Distances
 * of 64 bits leave no room for a predecessor in the same atomic, and only a search that has gone on for some time
 * needs predecessors at all.
 *
 * If the predecessors run in a circle, its length is negative: d(v) >= d(u) + w for every predecessor u of v, and in a
 * circle of length zero each would have to be committed before the next. If distances still fall after n rounds with
 * predecessors, they do run in a circle: the predecessor of a vertex changed in round r changed in round r - 1 or later. */
/* BUILD: UNWEIGHTED=1 for u32 u64 i64 */
/* TYPES: signed */
#include "relax.h"

#define PARENT(u, d, e)                                                                                                \
    DIST sum;                                                                                                          \
    i32 v = indices[e];                                                                                                \
    KEY key = predist[v];                                                                                              \
    if (extend(d, LENGTH(e), limit, &sum) == 0u && TO_KEY(sum) == key && key < dist[v]) STORE(&parents[v], u);

KERNEL parents(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
               GLOBAL const WEIGHT *RESTRICT weights, GLOBAL const KEY *dist, GLOBAL const KEY *predist,
               GLOBAL const i32 *small, GLOBAL const i32 *chunk_vertex, GLOBAL const u32 *chunk_number, i64 n,
               i64 capacity, GLOBAL i32 *parents, GLOBAL const u32 *counts, u32 parity, DIST limit) {
    u32 smalls = counts[SMALLS + parity], chunks = counts[CHUNKS + parity];
    for (i64 c = GLOBAL_ID / TEAM; c < chunks; c += GLOBAL_SIZE / TEAM) {
        i32 u = chunk_vertex[parity * capacity + c];
        u32 number = chunk_number[parity * capacity + c];
        DIST d = FROM_KEY(dist[u]);
        i64 end = chunk_end(indptr, u, number);
        for (i64 e = chunk_begin(indptr, u, number); e < end; e += TEAM) {
            PARENT(u, d, e)
        }
    }
    for (i64 i = GLOBAL_ID; i < smalls; i += GLOBAL_SIZE) {
        i32 u = small[parity * n + i];
        DIST d = FROM_KEY(dist[u]);
        for (i64 e = indptr[u]; e < indptr[u + 1]; e++) {
            PARENT(u, d, e)
        }
    }
}
