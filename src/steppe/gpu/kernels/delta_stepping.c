/* Delta-stepping (document 002) on a whole device, without the host between buckets.
 *
 * Vertices wait by tentative distance in buckets of width delta (a power of two, so that bucket borders are exact). One
 * bucket is open. Its vertices are `near`; all beyond lie in one unsorted `pile`, from which the next bucket is taken
 * when the open one is finished (Davidson et al., IPDPS 2014: near and far). A launch of `relax` does one of
 *
 *   LIGHT   the edges of at most delta of every vertex near: it may fall into the open bucket again
 *   HEAVY   near is empty: once, the longer edges of every vertex that was in the bucket, now final (the document's Req)
 *   SPLIT   that is done, too: the pile's least distance opens the bucket it lies in, so that empty ones are never seen;
 *           of the pile, what lies in it becomes near, what is settled is dropped, the rest is copied
 *   IDLE    nothing is left
 *
 * and `commit` then files every vertex touched: near and Req, or the pile. Which of the four it is all threads find for
 * themselves from the counts; one of them writes what follows from it for the commit and the next launch into the cells of
 * the other parity, so that no cell is written in a launch that reads it. Hence the host may enqueue any number of steps.
 * While little is near, a launch costs more than its step: then `narrow` makes many steps on one block of threads, whose
 * barriers stand for the boundaries between launches.
 *
 * A vertex is in the pile at most once (mark 1), and in Req once per heavy phase (mark phase + 2). One that improves into
 * the open bucket leaves its entry in the pile, which is dropped at the next split. Where delta is less than a rounding
 * step, a heavy edge may lead back into the open bucket; then the bucket is simply not finished yet.
 */
/* BUILD: RECORD=1 for u32 f32 */
/* BUILD: UNWEIGHTED=1 for u32 u64 i64 */
/* BUILD: MANY=1 */
/* TYPES: unsigned */
#include "relax.h"

#define IDLE 0u
#define LIGHT 1u
#define HEAVY 2u
#define SPLIT 3u

/* The work lists: 0 and 1 are near (by parity), from here on two for Req, by the number of the heavy phase. */
#define REQ 2u

/* More cells of `counts` and how many there are. SMALLS and CHUNKS are near's; pairs by parity, unless another word is here. */
#define REQ_SMALLS 6 /* by the number of the heavy phase */
#define REQ_CHUNKS 8
#define PILED 10 /* entries of each of the two piles */
#define STEPS 12
#define FAULTS 13
#define UNSETTLED 14 /* targets */
#define PHASE 15 /* heavy phases so far */
#define SIDE 17 /* the pile in use */
#define NARROWED 19 /* steps that the last launch made: 0, if it was not `narrow` */
#define COUNTS 20

/* Cells of `bounds`, keys, in pairs. */
#define LAST 0 /* the last of the open bucket, by parity */
#define LEAST 2 /* the least in each pile, or less: entries may have left */
#define SETTLED 4 /* below it all is settled, by parity */
#define BOUNDS 6

/* A block's cells of `tallies`, and how many. */
#define RELAXED 0
#define READ 1
#define ATOMICS 2
#define TALLIES 3

/* Of the pile's vertices only the distance is read: so many count as one entry of near. */
#define PILE_ENTRIES 4u

/* Bits of `kinds`: which edges the graph has. */
#define LIGHT_EDGES 1u
#define HEAVY_EDGES 2u

/* The last key of the bucket that holds `key`; delta is a power of two. */
DEVICE KEY bucket_end(KEY key, DIST delta, DIST inverse) {
#if defined(DIST_f32) || defined(DIST_f64)
    DIST number = FROM_KEY(key) * inverse;
    if (!(number < (DIST)4e18)) return key;
    KEY end = TO_KEY((DIST)((i64)number + 1) * delta) - 1;
    return end < key ? key : end; /* delta is less than a rounding step: a bucket is one distance */
#else
    return key | ((KEY)delta - 1);
#endif
}

#define RELAX(u, d, e)                                                                                                 \
    WEIGHT w = LENGTH(e);                                                                                              \
    if (((DIST)w <= delta) == light) {                                                                                 \
        DIST sum;                                                                                                      \
        u32 fault = extend(d, w, limit, &sum);                                                                         \
        i32 v = HEAD(u, e);                                                                                            \
        faults |= fault;                                                                                               \
        *edges += 1;                                                                                                   \
        if (fault == 0u && offer(dist, predist, cells, v, TO_KEY(sum), u, atomics))                                    \
            touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v;                                                       \
    }

/* What is next, as all threads find it for themselves. */
DEVICE u32 mode_of(GLOBAL const u32 *counts, u32 parity) {
    u32 turn = counts[PHASE + parity] & 1u;
    if (counts[SMALLS + parity] + counts[CHUNKS + parity] > 0u) return LIGHT;
    if (counts[REQ_SMALLS + turn] + counts[REQ_CHUNKS + turn] > 0u) return HEAVY;
    return counts[PILED + counts[SIDE + parity]] > 0u ? SPLIT : IDLE;
}

/* Thread `me` of `threads` does its share of what is next. Gives the least key that it has put into the other pile. */
DEVICE KEY relax_share(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL const WEIGHT *weights,
                       GLOBAL const KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells, GLOBAL const i32 *small,
                       GLOBAL const i32 *chunk_vertex, GLOBAL const u32 *chunk_number, i64 n, i64 capacity, u32 rows,
                       GLOBAL i32 *touched, GLOBAL i32 *pile, GLOBAL u32 *counts, GLOBAL KEY *bounds, u32 parity,
                       DIST limit, DIST delta, DIST inverse, i64 me, i64 threads, u64 *edges, u32 *atomics) {
    u32 mode = mode_of(counts, parity);
    u32 other = 1u - parity, phase = counts[PHASE + parity], turn = phase & 1u, side = counts[SIDE + parity];
    u32 smalls = counts[SMALLS + parity], chunks = counts[CHUNKS + parity], piled = counts[PILED + side];
    u32 list = parity;
    KEY last = bounds[LAST + parity], next_last = last, first = bounds[SETTLED + parity];
    if (mode == HEAVY) {
        list = REQ + turn;
        smalls = counts[REQ_SMALLS + turn];
        chunks = counts[REQ_CHUNKS + turn];
    } else if (mode == SPLIT) {
        first = bounds[LEAST + side];
        next_last = bucket_end(first, delta, inverse);
    }
    if (me == 0) {
        counts[TOUCHED + other] = 0u;
        counts[SMALLS + other] = 0u;
        counts[CHUNKS + other] = 0u;
        if (mode == LIGHT || mode == HEAVY) counts[STEPS] += 1u;
        if (mode == HEAVY) {
            counts[REQ_SMALLS + 1u - turn] = 0u;
            counts[REQ_CHUNKS + 1u - turn] = 0u;
        }
        counts[PHASE + other] = mode == HEAVY ? phase + 1u : phase;
        counts[SIDE + other] = mode == SPLIT ? 1u - side : side;
        bounds[LAST + other] = next_last;
        bounds[SETTLED + other] = first;
    }
    KEY least = KEY_INF;
    if (mode == SPLIT) {
        for (i64 i = me; i < piled; i += threads) {
            i32 v = pile[side * n + i];
            KEY key = dist[v];
            if (key > next_last) {
                pile[(1 - side) * n + ADD_u32(&counts[PILED + 1u - side], 1u)] = v;
                least = key < least ? key : least;
            } else if (key > last) {
                touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v;
            }
        }
    }
    u32 faults = 0u, light = mode == LIGHT ? 1u : 0u;
    for (i64 c = me / TEAM; c < chunks; c += threads / TEAM) {
        i32 u = chunk_vertex[list * capacity + c];
        u32 number = chunk_number[list * capacity + c];
        DIST d = FROM_KEY(dist[u]);
        i64 end = chunk_end(indptr, ROW(u), number);
        for (i64 e = chunk_begin(indptr, ROW(u), number); e < end; e += TEAM) {
            RELAX(u, d, e)
        }
    }
    for (i64 i = me; i < smalls; i += threads) {
        i32 u = small[list * n + i];
        DIST d = FROM_KEY(dist[u]);
        for (i64 e = indptr[ROW(u)]; e < indptr[ROW(u) + 1]; e++) {
            RELAX(u, d, e)
        }
    }
    if (faults & (ABOVE | BELOW)) OR_u32(&counts[FAULTS], faults);
    return least;
}

/* And its share of what was touched. Gives the least key put into the pile in use. */
DEVICE KEY commit_share(GLOBAL const i64 *indptr, GLOBAL KEY *dist, GLOBAL const KEY *predist, GLOBAL const u64 *cells,
                        GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity, u32 rows,
                        GLOBAL const i32 *touched, GLOBAL i32 *pile, GLOBAL u32 *mark, GLOBAL u32 *counts,
                        GLOBAL KEY *bounds, u32 parity, u32 kinds, i64 me, i64 threads, u64 *edges) {
    u32 other = 1u - parity, many = counts[TOUCHED + parity];
    u32 phase = counts[PHASE + other], turn = phase & 1u, side = counts[SIDE + other];
    KEY last = bounds[LAST + other], least = KEY_INF;
    if (me == 0) { /* the pile not in use; a split has just emptied it */
        counts[PILED + 1u - side] = 0u;
        bounds[LEAST + 1u - side] = KEY_INF;
    }
    for (i64 i = me; i < many; i += threads) {
        i32 v = touched[i];
        KEY key = TENTATIVE(v);
        dist[v] = key;
        if (key <= last) {
            if (kinds & LIGHT_EDGES)
                *edges += (u64)file_vertex(indptr, ROW(v), v, small, chunk_vertex, chunk_number, other, n, capacity,
                                           &counts[SMALLS + other], &counts[CHUNKS + other]);
            if ((kinds & HEAVY_EDGES) && mark[v] != phase + 2u)
                *edges += (u64)file_vertex(indptr, ROW(v), v, small, chunk_vertex, chunk_number, REQ + turn, n, capacity,
                                           &counts[REQ_SMALLS + turn], &counts[REQ_CHUNKS + turn]);
            mark[v] = phase + 2u;
        } else {
            least = key < least ? key : least;
            if (mark[v] == 0u) {
                mark[v] = 1u;
                pile[side * n + ADD_u32(&counts[PILED + side], 1u)] = v;
            }
        }
    }
    return least;
}

KERNEL relax(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
             GLOBAL const WEIGHT *RESTRICT weights, GLOBAL const KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells,
             GLOBAL const i32 *small, GLOBAL const i32 *chunk_vertex, GLOBAL const u32 *chunk_number, i64 n,
             i64 capacity, u32 rows, GLOBAL i32 *touched, GLOBAL i32 *pile, GLOBAL u32 *counts, GLOBAL KEY *bounds,
             GLOBAL u64 *tallies, u32 parity, DIST limit, DIST delta, DIST inverse) {
    LOCAL u32 sums[4];
    LOCAL KEY nearest[1];
    if (LOCAL_ID == 0) nearest[0] = KEY_INF;
    clear_sums(sums, 4);
    u32 atomics = 0u, side = counts[SIDE + parity];
    u64 edges = 0;
    if (GLOBAL_ID == 0) counts[NARROWED] = 0u;
    KEY least = relax_share(indptr, indices, weights, dist, predist, cells, small, chunk_vertex, chunk_number, n,
                            capacity, rows, touched, pile, counts, bounds, parity, limit, delta, inverse, GLOBAL_ID,
                            GLOBAL_SIZE, &edges, &atomics);
    if (least != KEY_INF) MIN_KEY(&nearest[0], least);
    ADD_WIDE(&sums[0], edges);
    ADD_WIDE(&sums[2], atomics);
    BARRIER();
    if (LOCAL_ID == 0 && nearest[0] != KEY_INF) MIN_KEY(&bounds[LEAST + 1u - side], nearest[0]);
    tally(&tallies[TALLIES * GROUP_ID + RELAXED], &sums[0]);
    tally(&tallies[TALLIES * GROUP_ID + ATOMICS], &sums[2]);
}

/* `kinds`: which edges there are; work for edges that are not there is not filed. */
KERNEL commit(GLOBAL const i64 *RESTRICT indptr, GLOBAL KEY *dist, GLOBAL const KEY *predist, GLOBAL const u64 *cells,
              GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity, u32 rows,
              GLOBAL const i32 *touched, GLOBAL i32 *pile, GLOBAL u32 *mark, GLOBAL u32 *counts,
              GLOBAL KEY *bounds, GLOBAL u64 *tallies, u32 parity, u32 kinds) {
    LOCAL u32 sums[2];
    LOCAL KEY nearest[1];
    if (LOCAL_ID == 0) nearest[0] = KEY_INF;
    clear_sums(sums, 2);
    u32 side = counts[SIDE + 1u - parity];
    u64 edges = 0;
    KEY least = commit_share(indptr, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity, rows, touched, pile,
                             mark, counts, bounds, parity, kinds, GLOBAL_ID, GLOBAL_SIZE, &edges);
    if (least != KEY_INF) MIN_KEY(&nearest[0], least);
    ADD_WIDE(sums, edges);
    BARRIER();
    if (LOCAL_ID == 0 && nearest[0] != KEY_INF) MIN_KEY(&bounds[LEAST + side], nearest[0]);
    tally(&tallies[TALLIES * GROUP_ID + READ], sums);
}

/* Steps while there are at most `room` entries to be worked on, `most` of them. There must be one block only. */
KERNEL narrow(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
              GLOBAL const WEIGHT *RESTRICT weights, GLOBAL KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells,
              GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity, u32 rows,
              GLOBAL i32 *touched, GLOBAL i32 *pile, GLOBAL u32 *mark, GLOBAL u32 *counts, GLOBAL KEY *bounds,
              GLOBAL u64 *tallies, u32 parity, DIST limit, DIST delta, DIST inverse, u32 kinds, u32 room, u32 most) {
    LOCAL u32 sums[6];
    clear_sums(sums, 6);
    u32 now = parity, steps = 0u, atomics = 0u;
    u64 edges = 0, read = 0;
    while (steps < most) {
        u32 mode = mode_of(counts, now), turn = counts[PHASE + now] & 1u, side = counts[SIDE + now];
        u32 entries = counts[PILED + side] / PILE_ENTRIES;
        if (mode == LIGHT) entries = counts[SMALLS + now] + ENTRIES * counts[CHUNKS + now];
        if (mode == HEAVY) entries = counts[REQ_SMALLS + turn] + ENTRIES * counts[REQ_CHUNKS + turn];
        if (mode == IDLE || entries > room) break;
        KEY least = relax_share(indptr, indices, weights, dist, predist, cells, small, chunk_vertex, chunk_number, n,
                                capacity, rows, touched, pile, counts, bounds, now, limit, delta, inverse, LOCAL_ID,
                                LOCAL_SIZE, &edges, &atomics);
        if (least != KEY_INF) MIN_KEY(&bounds[LEAST + 1u - side], least);
        BARRIER(); /* all candidates have been offered, or the pile is split */
        side = counts[SIDE + 1u - now];
        least = commit_share(indptr, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity, rows, touched, pile,
                             mark, counts, bounds, now, kinds, LOCAL_ID, LOCAL_SIZE, &read);
        if (least != KEY_INF) MIN_KEY(&bounds[LEAST + side], least);
        BARRIER(); /* all that was touched is filed */
        now = 1u - now;
        steps++;
    }
    if (LOCAL_ID == 0) counts[NARROWED] = steps;
    ADD_WIDE(&sums[0], edges);
    ADD_WIDE(&sums[2], atomics);
    ADD_WIDE(&sums[4], read);
    BARRIER();
    tally(&tallies[RELAXED], &sums[0]);
    tally(&tallies[ATOMICS], &sums[2]);
    tally(&tallies[READ], &sums[4]);
}

/* Counts the targets that are not settled: all below the open bucket are. `parity`: before the last launch, if that was `narrow`. */
KERNEL unsettled(GLOBAL const i32 *targets, i64 count, GLOBAL const KEY *dist, GLOBAL const KEY *bounds,
                 GLOBAL u32 *counts, u32 parity) {
    KEY settled = bounds[SETTLED + ((parity + counts[NARROWED]) & 1u)];
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE)
        if (dist[targets[i]] >= settled) ADD_u32(&counts[UNSETTLED], 1u);
}
