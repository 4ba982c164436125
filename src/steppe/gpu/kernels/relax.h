/* Relax: what the kernels of frontier, delta-stepping and Bellman-Ford share.
 *
 * `dist` holds the distances committed in earlier rounds and is only read while edges are relaxed; candidates meet in
 * `predist` by atomic MIN (document 000). Between rounds the two are equal, so the one thread whose MIN finds the
 * committed distance is the first to improve that vertex in this round: it puts the vertex on the list of touched ones,
 * which thus holds each vertex once without any flag or further atomic.
 *
 * With RECORD a cell of `cells` takes the place of predist: the key in the upper half, the predecessor in the lower, one
 * 64-bit MIN for both (document 003), so that they never disagree. Only a candidate below the committed distance may
 * compete: a tie with it would let two vertices at the same distance (zero weights, absorbed floats) name each other.
 * Among the candidates of a round the smallest (distance, predecessor) wins, whatever the order of the threads.
 *
 * Work of a round is filed by degree: a vertex of at most SMALL edges is one thread's; the edges of others are cut into
 * chunks of CHUNK, each the work of a team of TEAM neighbouring threads, so that a hub is spread over the device and a
 * team reads consecutive edges. Several lists lie behind one another in the same buffers: list k starts at k * n, its
 * chunks at k * capacity. The threads of a team exchange nothing.
 *
 * With MANY there is a copy of the graph for each source: vertex v of copy s is the vertex s * rows + v, with the row of v. So searches
 * from many sources are one search of a graph that has many sources and is in pieces, and share its launches. */
#ifdef MANY
#define ROW(v) ((v) % (i32)rows)
#define HEAD(u, e) ((u) - (u) % (i32)rows + indices[e])
#else
#define ROW(v) (v)
#define HEAD(u, e) indices[e]
#endif
#ifndef SMALL
#define SMALL 8 /* edges that one thread takes alone */
#define CHUNK 512 /* edges that a team takes */
#endif
#if BLOCK < 32
#define TEAM BLOCK
#else
#define TEAM 32 /* threads */
#endif

/* What a chunk counts for when a frontier is measured in small vertices. */
#define ENTRIES ((CHUNK + 7) / 8)

/* Cells of `counts` that every search by rounds has, in pairs: the cell of a launch's `parity` is in use, the other is cleared
 * for the next launch, by a kernel that otherwise leaves it alone. */
#define TOUCHED 0 /* vertices touched */
#define SMALLS 2 /* small vertices on the list */
#define CHUNKS 4 /* chunks on the list */

#ifdef RECORD
#define MIN_CELL PASTE(MIN_, u64)
#define TENTATIVE(v) ((KEY)(cells[v] >> 32))
#else
#define TENTATIVE(v) predist[v]
#endif

/* *sum = d + w, and 0; or why there is no candidate: ABOVE the type, BELOW it, or beyond the limit. The type's faults are
 * gathered and reported to the host: no overflow goes unnoticed. */
#define ABOVE 1u
#define BELOW 2u
#define BEYOND 4u
DEVICE u32 extend(DIST d, WEIGHT w, DIST limit, DIST *sum) {
#ifdef DIST_i64
    i64 x = (i64)w;
    i64 s = (i64)((u64)d + (u64)x);
    *sum = s;
    if (((d ^ s) & (x ^ s)) < 0) return x < 0 ? BELOW : ABOVE;
    if (s == 0x7fffffffffffffffl) return ABOVE; /* "unreachable" */
    return s > limit ? BEYOND : 0u;
#else
    *sum = EXTEND(d, w);
    if (*sum <= limit) return 0u;
    return *sum > DIST_MAX ? ABOVE : BEYOND;
#endif
}

/* Offers vertex v the distance of `key` by way of u. Gives 1 to the first that improves v in this round, else 0. */
DEVICE u32 offer(GLOBAL const KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells, i32 v, KEY key, i32 u, u32 *atomics) {
#ifdef RECORD
    u64 cell = (u64)key << 32 | (u32)u;
    if (cell >= LOAD(&cells[v])) return 0u;
    KEY committed = dist[v];
    if (key >= committed) return 0u;
    *atomics += 1u;
    return (KEY)(MIN_CELL(&cells[v], cell) >> 32) == committed ? 1u : 0u;
#else
    if (key >= LOAD(&predist[v])) return 0u; /* read first: most candidates end here, without an atomic */
    *atomics += 1u;
    return MIN_KEY(&predist[v], key) == dist[v] ? 1u : 0u;
#endif
}

/* Puts vertex v, whose edges are those of `row`, on a list: smalls[0] and chunks[0] count it, `list` is its number. Gives the degree of v. */
DEVICE i64 file_vertex(GLOBAL const i64 *indptr, i32 row, i32 v, GLOBAL i32 *small, GLOBAL i32 *chunk_vertex,
                       GLOBAL u32 *chunk_number, u32 list, i64 n, i64 capacity, GLOBAL u32 *smalls,
                       GLOBAL u32 *chunks) {
    i64 degree = indptr[row + 1] - indptr[row];
    if (degree > SMALL) {
        u32 many = (u32)((degree + CHUNK - 1) / CHUNK);
        i64 first = list * capacity + ADD_u32(chunks, many);
        for (u32 j = 0; j < many; j++) {
            chunk_vertex[first + j] = v;
            chunk_number[first + j] = j;
        }
    } else if (degree > 0) {
        small[list * n + ADD_u32(smalls, 1u)] = v;
    }
    return degree;
}

/* The edges of chunk `number` of row u: from first to last, which the thread starts at its place in the team. */
DEVICE i64 chunk_begin(GLOBAL const i64 *indptr, i32 u, u32 number) {
    return indptr[u] + (i64)number * CHUNK + LOCAL_ID % TEAM;
}
DEVICE i64 chunk_end(GLOBAL const i64 *indptr, i32 u, u32 number) {
    i64 end = indptr[u] + ((i64)number + 1) * CHUNK;
    return end < indptr[u + 1] ? end : indptr[u + 1];
}

/* A block adds up what its threads count in `sums`, wide numbers (ADD_WIDE) in LOCAL memory, between two barriers: `clear_sums` has
 * the first, the kernel the second. `tally` then adds a sum to the block's own cell. */
DEVICE void clear_sums(LOCAL_POINTER u32 *sums, i32 cells) {
    if (LOCAL_ID == 0)
        for (i32 k = 0; k < cells; k++) sums[k] = 0u;
    BARRIER();
}
DEVICE void tally(GLOBAL u64 *cell, LOCAL_POINTER const u32 *sum) {
    if (LOCAL_ID == 0) *cell += WIDE(sum);
}
