/* Many sources by edge sweeps (document 004): one block per source, blocks stride over the sources.
 *
 * A block's threads go through the whole edge list, again and again, until a sweep changes nothing; each source has a row
 * of distances of its own, which no other block touches, so the barriers of a block are all the order there is. Sweeps read
 * what the same sweep wrote (LOAD and MIN), so distances run ahead of the number of sweeps.
 *
 * With UNDIRECTED every edge stands in the list once and is relaxed in both directions; a directed graph lists its
 * arcs, and one direction is right. An unreached end is skipped: +inf + w must not wrap. `limit` is the largest distance
 * that is stored, DIST_MAX or the cutoff. */
/* BUILD: UNDIRECTED=1 */
/* BUILD: UNWEIGHTED=1 for u32 u64 */
/* TYPES: unsigned */

/* Cells of `counts`, and how many there are. */
#define OVERFLOWED 0 /* a sum of integers passed DIST_MAX: the host repeats in 64 bits */
#define SWEEPS 1 /* a wide number */
#define ATOMICS 3 /* a wide number */
#define COUNTS 5

/* Tries to shorten row[v] by way of u. */
DEVICE void relax(GLOBAL KEY *row, i32 u, i32 v, WEIGHT w, DIST limit, LOCAL_POINTER u32 *changed, GLOBAL u32 *counts,
                  u32 *atomics) {
    KEY from = LOAD(&row[u]);
    if (from == KEY_INF) return;
    DIST sum = EXTEND(FROM_KEY(from), w);
    if (sum > limit) {
        if (sum > DIST_MAX) STORE(&counts[OVERFLOWED], 1u);
        return;
    }
    KEY k = TO_KEY(sum);
    if (k < LOAD(&row[v])) {
        (*atomics)++;
        if (k < MIN_KEY(&row[v], k)) STORE(changed, 1u);
    }
}

KERNEL edge(GLOBAL const i32 *RESTRICT tails, GLOBAL const i32 *RESTRICT heads, GLOBAL const WEIGHT *RESTRICT weights,
            i64 edges, u32 n, GLOBAL KEY *dist, GLOBAL const i32 *RESTRICT sources, u32 count, KEY zero, DIST limit,
            GLOBAL u32 *counts) {
    LOCAL u32 changed[1];
    u32 atomics = 0, sweeps = 0;
    for (i64 s = GROUP_ID; s < count; s += NUM_GROUPS) {
        GLOBAL KEY *row = dist + s * (i64)n;
        for (i64 v = LOCAL_ID; v < n; v += LOCAL_SIZE) row[v] = v == sources[s] ? zero : KEY_INF;
        u32 again = 1;
        while (again) {
            if (LOCAL_ID == 0) changed[0] = 0; /* for every source and every sweep */
            BARRIER();                         /* and the row is complete */
            for (i64 e = LOCAL_ID; e < edges; e += LOCAL_SIZE) {
                relax(row, tails[e], heads[e], LENGTH(e), limit, changed, counts, &atomics);
#ifdef UNDIRECTED
                relax(row, heads[e], tails[e], LENGTH(e), limit, changed, counts, &atomics);
#endif
            }
            BARRIER(); /* all have swept */
            again = changed[0];
            sweeps++;
            BARRIER(); /* all have read the flag before it is lowered: none leaves alone */
        }
    }
    if (LOCAL_ID == 0) ADD_WIDE(&counts[SWEEPS], sweeps);
    ADD_WIDE(&counts[ATOMICS], atomics);
}
