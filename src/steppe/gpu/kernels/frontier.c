/* Frontier: the documents' "dijkstra GPU" (000) on a whole device.
 *
 *   relax    every out-edge of a vertex changed in the last round: MIN into predist, where many threads may meet
 *   commit   predist becomes dist for the vertices touched, which are the next round's frontier
 *
 * The document's barrier between the two is here the boundary between two launches, so that all blocks work; its test "if
 * dist(u) is modified" is a list, so that a round costs what its frontier costs; its flag is the length of that list.
 * Both kernels take the lengths from device memory: where they are 0, no loop runs. So the host may enqueue several rounds
 * before it reads the counts. While the frontier is small, a launch costs more than its round: then `narrow` runs many rounds on one
 * block of threads, whose barriers stand for the boundaries.
 *
 * Built for weights of either sign it is a round of Bellman-Ford, see bellman_ford.c.
 *
 * Harish & Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007. */
/* BUILD: RECORD=1 for u32 f32 */
/* BUILD: UNWEIGHTED=1 for u32 u64 i64 */
#include "relax.h"

/* More cells of `counts`, and how many there are. */
#define ROUNDS 6
#define FAULTS 7
#define NARROWED 8 /* rounds that the last launch made: 0, if it was not `narrow` */
#define COUNTS 9
/* A block's cells of `tallies`, and how many. */
#define EDGES 0 /* of the frontier */
#define ATOMICS 1
#define TALLIES 2

#define RELAX(u, d, e)                                                                                                 \
    DIST sum;                                                                                                          \
    u32 fault = extend(d, LENGTH(e), limit, &sum);                                                                     \
    faults |= fault;                                                                                                   \
    i32 v = indices[e];                                                                                                \
    if (fault == 0u && offer(dist, predist, cells, v, TO_KEY(sum), u, atomics))                                        \
        touched[ADD_u32(&counts[TOUCHED + parity], 1u)] = v;

/* Thread `me` of `threads` takes its share of the frontier's edges. */
DEVICE void relax_share(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL const WEIGHT *weights,
                        GLOBAL const KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells, GLOBAL const i32 *small,
                        GLOBAL const i32 *chunk_vertex, GLOBAL const u32 *chunk_number, i64 n, i64 capacity,
                        GLOBAL i32 *touched, GLOBAL u32 *counts, u32 parity, DIST limit, i64 me, i64 threads,
                        u32 *atomics) {
    u32 smalls = counts[SMALLS + parity], chunks = counts[CHUNKS + parity], other = 1u - parity;
    u32 faults = 0u;
    if (me == 0) {
        counts[TOUCHED + other] = 0u;
        counts[SMALLS + other] = 0u;
        counts[CHUNKS + other] = 0u;
        if (smalls + chunks > 0u) counts[ROUNDS] += 1u;
    }
    for (i64 c = me / TEAM; c < chunks; c += threads / TEAM) {
        i32 u = chunk_vertex[parity * capacity + c];
        u32 number = chunk_number[parity * capacity + c];
        DIST d = FROM_KEY(dist[u]);
        i64 end = chunk_end(indptr, u, number);
        for (i64 e = chunk_begin(indptr, u, number); e < end; e += TEAM) {
            RELAX(u, d, e)
        }
    }
    for (i64 i = me; i < smalls; i += threads) {
        i32 u = small[parity * n + i];
        DIST d = FROM_KEY(dist[u]);
        for (i64 e = indptr[u]; e < indptr[u + 1]; e++) {
            RELAX(u, d, e)
        }
    }
    if (faults & (ABOVE | BELOW)) OR_u32(&counts[FAULTS], faults);
}

/* And its share of the vertices touched, which become the next frontier. Gives the edges of those. */
DEVICE i64 commit_share(GLOBAL const i64 *indptr, GLOBAL KEY *dist, GLOBAL const KEY *predist, GLOBAL const u64 *cells,
                        GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity,
                        GLOBAL const i32 *touched, GLOBAL u32 *counts, u32 parity, i64 me, i64 threads) {
    u32 many = counts[TOUCHED + parity], other = 1u - parity;
    i64 edges = 0;
    for (i64 i = me; i < many; i += threads) {
        i32 v = touched[i];
        dist[v] = TENTATIVE(v);
        edges += file_vertex(indptr, v, v, small, chunk_vertex, chunk_number, other, n, capacity,
                             &counts[SMALLS + other], &counts[CHUNKS + other]);
    }
    return edges;
}

KERNEL relax(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
             GLOBAL const WEIGHT *RESTRICT weights, GLOBAL const KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells,
             GLOBAL const i32 *small, GLOBAL const i32 *chunk_vertex, GLOBAL const u32 *chunk_number, i64 n,
             i64 capacity, GLOBAL i32 *touched, GLOBAL u32 *counts, GLOBAL u64 *tallies, u32 parity, DIST limit) {
    LOCAL u32 sums[2];
    clear_sums(sums, 2);
    u32 atomics = 0u;
    if (GLOBAL_ID == 0) counts[NARROWED] = 0u;
    relax_share(indptr, indices, weights, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity, touched,
                counts, parity, limit, GLOBAL_ID, GLOBAL_SIZE, &atomics);
    ADD_WIDE(sums, atomics);
    BARRIER();
    tally(&tallies[TALLIES * GROUP_ID + ATOMICS], sums);
}

KERNEL commit(GLOBAL const i64 *RESTRICT indptr, GLOBAL KEY *dist, GLOBAL const KEY *predist, GLOBAL const u64 *cells,
              GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity,
              GLOBAL const i32 *touched, GLOBAL u32 *counts, GLOBAL u64 *tallies, u32 parity) {
    LOCAL u32 sums[2];
    clear_sums(sums, 2);
    i64 edges = commit_share(indptr, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity, touched,
                             counts, parity, GLOBAL_ID, GLOBAL_SIZE);
    ADD_WIDE(sums, edges);
    BARRIER();
    tally(&tallies[TALLIES * GROUP_ID + EDGES], sums);
}

/* Rounds while there are at most `room` entries in the frontier, `most` of them. There must be one block only. */
KERNEL narrow(GLOBAL const i64 *RESTRICT indptr, GLOBAL const i32 *RESTRICT indices,
              GLOBAL const WEIGHT *RESTRICT weights, GLOBAL KEY *dist, GLOBAL KEY *predist, GLOBAL u64 *cells,
              GLOBAL i32 *small, GLOBAL i32 *chunk_vertex, GLOBAL u32 *chunk_number, i64 n, i64 capacity,
              GLOBAL i32 *touched, GLOBAL u32 *counts, GLOBAL u64 *tallies, u32 parity, DIST limit, u32 room, u32 most) {
    LOCAL u32 sums[4];
    clear_sums(sums, 4);
    u32 now = parity, rounds = 0u, atomics = 0u;
    u64 edges = 0;
    while (rounds < most) {
        u32 entries = counts[SMALLS + now] + ENTRIES * counts[CHUNKS + now];
        if (entries == 0u || entries > room) break;
        relax_share(indptr, indices, weights, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity,
                    touched, counts, now, limit, LOCAL_ID, LOCAL_SIZE, &atomics);
        BARRIER(); /* all candidates have been offered */
        edges += (u64)commit_share(indptr, dist, predist, cells, small, chunk_vertex, chunk_number, n, capacity, touched,
                                   counts, now, LOCAL_ID, LOCAL_SIZE);
        BARRIER(); /* the next frontier is complete */
        now = 1u - now;
        rounds++;
    }
    if (LOCAL_ID == 0) counts[NARROWED] = rounds;
    ADD_WIDE(&sums[0], edges);
    ADD_WIDE(&sums[2], atomics);
    BARRIER();
    tally(&tallies[EDGES], &sums[0]);
    tally(&tallies[ATOMICS], &sums[2]);
}
