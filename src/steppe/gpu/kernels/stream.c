/* Stream: shortest paths over edges that are not all on the device (document 001).
 *
 * The edges are cut into parts of `size` edges; part p begins at edge p * size, the document's base. Offsets and distances of
 * all vertices stay on the device, the edges of a part (or of chosen rows, gathered by the host) come and go. Distances are
 * lowered in place: a thread that lowers that of v marks every part of its row to be read (again). The document counts these
 * parts (`vis`), which is enough only where parts come in one fixed order; here each vertex has one mark per part of
 * its row. Since parts are consecutive, vertex v and part p have mark v + p, and there are n + parts of them.
 *
 *   arouse    marks the parts of v: NEAR, to be read now, if the distance is at most `last`, else FAR, to be read later
 *   collect   makes the work list of one part: its NEAR rows, cut into pieces of CHUNK edges; lowers their marks
 *   relax     offers a distance to the head of every edge on the list
 *   widen     `last` has grown: FAR becomes NEAR where the distance now allows it
 *
 * A mark is lowered one launch before the distance is read, and raised after a distance was lowered: no improvement is lost,
 * in whatever order the threads run. With `last` infinite this is label-correcting by rounds (frontier, Bellman-Ford); with
 * a `last` that grows by delta it is near and far (Davidson et al., IPDPS 2014), delta-stepping's order; with 1 it is
 * breadth-first search by levels.
 *
 * The work list is one array with two ends: rows of at most SMALL edges, one thread's work each, from the front; pieces of
 * longer rows, a team's work, from the back. `places` are numbers of edges in the graph, or, where the host has gathered, in
 * its buffer; `base` is the number of the buffer's first edge.
 *
 * least: for each part the least NEAR distance, behind them the least FAR one (or less). */
/* BUILD: RECORD=1 for u32 f32 */
/* BUILD: UNWEIGHTED=1 for u32 u64 i64 */
/* BUILD: PARENTS=1 for i64 f32 f64 */
#include "relax.h"

/* Marks; 0: nothing to read. */
#define FAR 1u
#define NEAR 2u

/* Cells of `state`. */
#define FRONT 0 /* entries at the front of the work list, in pairs: the one of the launch's `parity` is in use */
#define BACK 2 /* and at its back */
#define FAULTS 4
#define UNSETTLED 5 /* targets */
#define OF_PARTS 8 /* from here on two cells for each part: its NEAR pieces and its NEAR edges */

/* A block's cells of `tallies`, and how many. */
#define EDGES 0
#define ATOMICS 1
#define TALLIES 2

#ifdef RECORD
#define DISTANCE_KEY(v) ((KEY)(LOAD(&cells[v]) >> 32))
#define CAS_CELL PASTE(CAS_, u64)
#else
#define DISTANCE_KEY(v) LOAD(&dist[v])
#endif

DEVICE u32 pieces(i64 length) { return length <= SMALL ? 1u : (u32)((length + CHUNK - 1) / CHUNK); }

/* Lowers the distance of v, by way of u; gives 1 if it was higher. With RECORD distance and predecessor change together, and
 * only if the distance does: two vertices at one distance never name each other. */
DEVICE u32 lower(GLOBAL KEY *dist, GLOBAL u64 *cells, i32 v, KEY key, i32 u, u32 *atomics) {
#ifdef RECORD
    u64 old = LOAD(&cells[v]);
    while (key < (KEY)(old >> 32)) {
        u64 seen = CAS_CELL(&cells[v], old, (u64)key << 32 | (u32)u);
        *atomics += 1u;
        if (seen == old) return 1u;
        old = seen;
    }
    return 0u;
#else
    if (key >= LOAD(&dist[v])) return 0u;
    *atomics += 1u;
    return key < MIN_KEY(&dist[v], key) ? 1u : 0u;
#endif
}

/* The edges of a row that lie in part p. */
DEVICE i64 inside(i64 begin, i64 end, i64 p, i64 size) {
    return (end < (p + 1) * size ? end : (p + 1) * size) - (begin > p * size ? begin : p * size);
}

/* There is more NEAR work in part p. */
DEVICE void count_near(GLOBAL u32 *state, GLOBAL KEY *least, i64 p, u32 rows, u32 edges, KEY key) {
    if (edges != 0u) {
        ADD_u32(&state[OF_PARTS + 2 * p], rows);
        ADD_u32(&state[OF_PARTS + 2 * p + 1], edges);
    }
    if (key < LOAD(&least[p])) MIN_KEY(&least[p], key);
}

DEVICE void arouse(GLOBAL const i64 *indptr, GLOBAL u32 *marks, GLOBAL u32 *state, GLOBAL KEY *least, i64 parts, i64 size,
                   i32 v, KEY key, KEY last) {
    i64 begin = indptr[v], end = indptr[v + 1];
    if (begin == end) return; /* no edges, no parts */
    if (key > last && key < LOAD(&least[parts])) MIN_KEY(&least[parts], key);
    for (i64 p = begin / size; p * size < end; p++) {
        if (key > last) {
            if (LOAD(&marks[v + p]) == 0u) CAS_u32(&marks[v + p], 0u, FAR);
        } else {
            i64 length = 0; /* counted already */
            if (LOAD(&marks[v + p]) != NEAR && EXCH_u32(&marks[v + p], NEAR) != NEAR)
                length = inside(begin, end, p, size);
            count_near(state, least, p, pieces(length), (u32)length, key);
        }
    }
}

KERNEL start(GLOBAL const i64 *RESTRICT indptr, GLOBAL KEY *dist, GLOBAL u64 *cells, GLOBAL u32 *marks,
             GLOBAL u32 *state, GLOBAL KEY *least, i64 parts, i64 size, GLOBAL const i32 *sources, i64 count, KEY zero,
             KEY last) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) {
        i32 s = sources[i];
#ifdef RECORD
        cells[s] = (u64)zero << 32 | 0xffffffffu;
#else
        dist[s] = zero;
#endif
        arouse(indptr, marks, state, least, parts, size, s, zero, last);
    }
}

/* Vertices first to beyond - 1 have edges in part p. */
KERNEL collect(GLOBAL const i64 *RESTRICT indptr, GLOBAL u32 *marks, GLOBAL u32 *state, GLOBAL KEY *least, i64 size,
               GLOBAL i32 *vertices, GLOBAL i64 *places, GLOBAL u32 *lengths, i64 capacity, i64 p, i64 first, i64 beyond,
               u32 parity) {
    if (GLOBAL_ID == 0) {
        state[OF_PARTS + 2 * p] = 0u;
        state[OF_PARTS + 2 * p + 1] = 0u;
        least[p] = KEY_INF;
    }
    for (i64 u = first + GLOBAL_ID; u < beyond; u += GLOBAL_SIZE) {
        if (marks[u + p] != NEAR) continue;
        marks[u + p] = 0u;
        i64 from = indptr[u] > p * size ? indptr[u] : p * size;
        i64 to = indptr[u + 1] < (p + 1) * size ? indptr[u + 1] : (p + 1) * size;
        if (to - from <= SMALL) {
            i64 i = ADD_u32(&state[FRONT + parity], 1u);
            vertices[i] = (i32)u;
            places[i] = from;
            lengths[i] = (u32)(to - from);
        } else {
            i64 i = capacity - 1 - ADD_u32(&state[BACK + parity], pieces(to - from));
            for (; from < to; from += CHUNK, i--) {
                vertices[i] = (i32)u;
                places[i] = from;
                lengths[i] = (u32)(to - from < CHUNK ? to - from : CHUNK);
            }
        }
    }
}

#ifdef PARENTS
#define NAME_PARENT(u) STORE(&parents[v], u);
#else
#define NAME_PARENT(u)
#endif
#define RELAX(u, d, e)                                                                                                 \
    DIST sum;                                                                                                          \
    u32 fault = extend(d, LENGTH(e), limit, &sum);                                                                     \
    i32 v = indices[e];                                                                                                \
    faults |= fault;                                                                                                   \
    edges++;                                                                                                           \
    if (fault == 0u && lower(dist, cells, v, TO_KEY(sum), u, &atomics)) {                                              \
        NAME_PARENT(u)                                                                                                 \
        arouse(indptr, marks, state, least, parts, size, v, TO_KEY(sum), last);                                        \
    }

KERNEL relax(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
             GLOBAL const WEIGHT *RESTRICT weights, i64 base, GLOBAL KEY *dist, GLOBAL u64 *cells, GLOBAL i32 *parents,
             GLOBAL u32 *marks, GLOBAL u32 *state, GLOBAL KEY *least, i64 parts, i64 size, GLOBAL const i32 *vertices,
             GLOBAL const i64 *places, GLOBAL const u32 *lengths, i64 capacity, GLOBAL u64 *tallies, u32 parity,
             DIST limit, KEY last) {
    LOCAL u32 sums[4];
    clear_sums(sums, 4);
    u32 front = state[FRONT + parity], back = state[BACK + parity], faults = 0u, atomics = 0u;
    u64 edges = 0;
    if (GLOBAL_ID == 0) {
        state[FRONT + 1u - parity] = 0u;
        state[BACK + 1u - parity] = 0u;
    }
    for (i64 c = GLOBAL_ID / TEAM; c < back; c += GLOBAL_SIZE / TEAM) {
        i64 i = capacity - 1 - c;
        i32 u = vertices[i];
        DIST d = FROM_KEY(DISTANCE_KEY(u));
        i64 end = places[i] - base + lengths[i];
        for (i64 e = places[i] - base + GLOBAL_ID % TEAM; e < end; e += TEAM) {
            RELAX(u, d, e)
        }
    }
    for (i64 i = GLOBAL_ID; i < front; i += GLOBAL_SIZE) {
        i32 u = vertices[i];
        DIST d = FROM_KEY(DISTANCE_KEY(u));
        i64 end = places[i] - base + lengths[i];
        for (i64 e = places[i] - base; e < end; e++) {
            RELAX(u, d, e)
        }
    }
    if (faults & (ABOVE | BELOW)) OR_u32(&state[FAULTS], faults);
    ADD_WIDE(&sums[0], edges);
    ADD_WIDE(&sums[2], atomics);
    BARRIER();
    tally(&tallies[TALLIES * GROUP_ID + EDGES], &sums[0]);
    tally(&tallies[TALLIES * GROUP_ID + ATOMICS], &sums[2]);
}

/* The host has set least[parts] to infinity; what stays FAR lowers it again. Whatever is beyond `before`, the last value of
 * `last`, is FAR, and nothing else is: what was worked on before costs a read of its distance. A thread's vertices lie in
 * ascending order, so it counts alone until the part changes, and all the threads of a part do not queue for one cell. */
KERNEL widen(GLOBAL const i64 *RESTRICT indptr, GLOBAL const KEY *dist, GLOBAL const u64 *cells, GLOBAL u32 *marks,
             GLOBAL u32 *state, GLOBAL KEY *least, i64 parts, i64 size, i64 n, KEY before, KEY last) {
    LOCAL KEY scratch[BLOCK];
    KEY left = KEY_INF, nearest = KEY_INF;
    i64 at = 0; /* the part that is counted */
    u32 rows = 0u, edges = 0u;
    for (i64 u = GLOBAL_ID; u < n; u += GLOBAL_SIZE) {
        KEY key = DISTANCE_KEY(u);
        if (key <= before || key == KEY_INF) continue;
        i64 begin = indptr[u], end = indptr[u + 1];
        if (begin == end) continue;
        if (key > last) {
            left = key < left ? key : left;
            continue;
        }
        i64 p = begin >= at * size && begin < (at + 1) * size ? at : begin / size;
        for (; p * size < end; p++) {
            if (p != at) {
                count_near(state, least, at, rows, edges, nearest);
                at = p;
                rows = edges = 0u;
                nearest = KEY_INF;
            }
            marks[u + p] = NEAR;
            i64 length = inside(begin, end, p, size);
            rows += pieces(length);
            edges += (u32)length;
            nearest = key < nearest ? key : nearest;
        }
    }
    count_near(state, least, at, rows, edges, nearest);
    left = PASTE(block_min_, KEY)(scratch, left);
    if (LOCAL_ID == 0 && left != KEY_INF) MIN_KEY(&least[parts], left);
}

/* Counts the targets beyond `last`: where nothing NEAR is left, all others are settled. */
KERNEL unsettled(GLOBAL const i32 *targets, i64 count, GLOBAL const KEY *dist, GLOBAL const u64 *cells, GLOBAL u32 *state,
                 KEY last) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE)
        if (DISTANCE_KEY(targets[i]) > last) ADD_u32(&state[UNSETTLED], 1u);
}
