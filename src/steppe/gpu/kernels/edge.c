/* Many sources by edge sweeps (document 004): one block per source, blocks stride over the sources.
 *
 * A block's threads go through the whole edge list, again and again, until a sweep changes nothing; each source has a row
 * of distances of its own, which no other block touches, so the barriers of a block are all the order there is. Sweeps read
 * what the same sweep wrote (LOAD and MIN), so distances run ahead of the number of sweeps.
 *
 * With UNDIRECTED every edge stands in the list once and is relaxed in both directions; a directed graph lists its
 * arcs, and one direction is right. An unreached end is skipped: +inf + w must not wrap. `limit` is the largest distance
 * that is stored, DIST_MAX or the cutoff.
 *
 * A launch must not take long: a driver that also serves a screen ends one after some seconds, and the process with it. So a launch
 * makes at most `most` sweeps of edges `begin` to `end`, and the row goes on in the next one. `flags` has two cells for a row: at
 * `parity`, whether the row still changed in the last sweep, and is to be swept; at the other, whether it changed in this one, of
 * which several launches may each do a part. The first launch of all is `fresh`. */
/* BUILD: UNDIRECTED=1 */
/* BUILD: UNWEIGHTED=1 for u32 u64 */
/* TYPES: unsigned */

/* Cells of `counts`, and how many there are. */
#define OVERFLOWED 0 /* a sum of integers passed DIST_MAX: the host repeats in 64 bits */
#define SWEEPS 1 /* a wide number */
#define ATOMICS 3 /* a wide number */
#define LOOKED 5 /* at edges, by all rows: a wide number */
#define COUNTS 7

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
            i64 begin, i64 end, u32 n, GLOBAL KEY *dist, GLOBAL const i32 *RESTRICT sources, u32 count, KEY zero,
            DIST limit, GLOBAL u32 *flags, u32 parity, u32 fresh, u32 most, GLOBAL u32 *counts) {
    LOCAL u32 changed[1];
    u32 atomics = 0, sweeps = 0;
    for (i64 s = GROUP_ID; s < count; s += NUM_GROUPS) {
        GLOBAL KEY *row = dist + s * (i64)n;
        GLOBAL u32 *wanted = flags + parity * (i64)count + s, *next = flags + (1u - parity) * (i64)count + s;
        if (fresh)
            for (i64 v = LOCAL_ID; v < n; v += LOCAL_SIZE) row[v] = v == sources[s] ? zero : KEY_INF;
        u32 again = fresh ? 1u : *wanted, before = begin == 0 ? 0u : *next;
        BARRIER(); /* all have read the row's flags, and the row is complete */
        for (u32 sweep = 0; again && sweep < most; sweep++) {
            if (LOCAL_ID == 0) changed[0] = 0; /* for every source and every sweep */
            BARRIER();                         /* the flag is down */
            for (i64 e = begin + LOCAL_ID; e < end; e += LOCAL_SIZE) {
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
        if (LOCAL_ID == 0) {
            if (fresh) *wanted = 1u;
            *next = again | before;
        }
    }
    u64 looked = (u64)sweeps * (u64)(end - begin);
    if (LOCAL_ID == 0 && begin == 0) ADD_WIDE(&counts[SWEEPS], sweeps);
    if (LOCAL_ID == 0) ADD_WIDE(&counts[LOOKED], looked);
    ADD_WIDE(&counts[ATOMICS], atomics);
}
