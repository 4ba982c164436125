/* Many sources by edge sweeps (document 004): one block per source, blocks stride over the sources.
 *
 * A block's threads go through the whole edge list, again and again, until a sweep changes nothing; each source has a row
 * of distances of its own, which no other block touches, so the barriers of a block are all the order there is. Sweeps read
 * what the same sweep wrote (LOAD and MIN), so distances run ahead of the number of sweeps.
 *
 * With BOTH every undirected edge stands in the list once and is relaxed in both directions; a directed graph lists its
 * arcs, and one direction is right. An unreached end is skipped: +inf + w must not wrap. `limit` is the key of the cutoff.
 * `flags[0]`: a sum of integers passed DIST_MAX; the host repeats in 64 bits. `flags[1]`, `flags[2]`: sweeps, low and high
 * word; `flags[3]`, `flags[4]`: atomics. */
/* BUILD: BOTH=1 */
/* BUILD: UNWEIGHTED=1 for u32 u64 */
#ifdef DIST_i64
#define OVER(sum) 0 /* sums are bounded beforehand */
#else
#define OVER(sum) ((sum) > DIST_MAX)
#endif

/* Tries to shorten row[v] by way of u. */
DEVICE void relax(GLOBAL KEY *row, i32 u, i32 v, WEIGHT w, KEY limit, LOCAL_POINTER u32 *changed, GLOBAL u32 *flags,
                  u32 *atomics) {
    KEY from = LOAD(&row[u]);
    if (from == KEY_INF) return;
    DIST sum = EXTEND(FROM_KEY(from), w);
    if (OVER(sum)) {
        STORE(&flags[0], 1u);
        return;
    }
    KEY k = TO_KEY(sum);
    if (k <= limit && k < LOAD(&row[v])) {
        (*atomics)++;
        if (k < MIN_KEY(&row[v], k)) STORE(changed, 1u);
    }
}

KERNEL edge(GLOBAL const i32 *RESTRICT tails, GLOBAL const i32 *RESTRICT heads, GLOBAL const WEIGHT *RESTRICT weights,
            i64 edges, u32 n, GLOBAL KEY *dist, GLOBAL const i32 *RESTRICT sources, u32 count, KEY zero, KEY limit,
            GLOBAL u32 *flags) {
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
                relax(row, tails[e], heads[e], LENGTH(e), limit, changed, flags, &atomics);
#ifdef BOTH
                relax(row, heads[e], tails[e], LENGTH(e), limit, changed, flags, &atomics);
#endif
            }
            BARRIER(); /* all have swept */
            again = changed[0];
            sweeps++;
            BARRIER(); /* all have read the flag before it is lowered: none leaves alone */
        }
    }
    if (LOCAL_ID == 0) {
        u32 old = ADD_u32(&flags[1], sweeps);
        if (old + sweeps < old) ADD_u32(&flags[2], 1u);
    }
    if (atomics != 0u) {
        u32 old = ADD_u32(&flags[3], atomics);
        if (old + atomics < old) ADD_u32(&flags[4], 1u);
    }
}
