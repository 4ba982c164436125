/* Breadth-first search by levels (document 003), on the whole device; work follows the frontier, not |V|.
 *
 * A level is one launch. Hops alone need no atomics on the distances: every thread that reaches v in this launch writes the
 * same number, so the race is benign. But two threads may both believe to be first, and v is then in the queue twice. Left
 * alone that multiplies (on a grid every vertex has two parents, neighbours in the queue: entries would double level by
 * level), so the place of an entry is stored in owner[v] by the last writer, and the next level expands an entry only
 * where it is the owner. More entries than places (possible with many doubles): the excess is dropped, the count shows it, and
 * `collect` makes the queue again from the distances.
 *
 * Variants:   nothing    hops, no atomics on vertices
 *             RECORD     the winner of a CAS on dist[v] alone writes pred[v]: they cannot disagree
 *             TREE       for predecessors.py: pred[v] becomes the smallest u of the level before; -1 in `indices`: no edge
 *
 * Queue: two sides (this level, the next), each with three classes by degree: one thread per vertex, one block per vertex,
 * the whole grid per vertex. A vertex without out-edges does not enter.
 *
 * State, u32: three slots of SLOT cells (now, next, and the one after, which a launch empties for its successor), then
 * totals. A launch that finds nothing to do passes its slot on, so the host may enqueue several levels and read the state later.
 * `narrow` runs many small levels in one launch of one block: on a road network a launch per level would cost more than
 * the level. `up` is the other direction (Beamer et al., SC'12): unreached vertices search a parent among their in-edges;
 * it reads no queue and makes none. */
/* BUILD: RECORD=1 */
/* BUILD: TREE=1 */
#define UNREACHED 0x7fffffff /* in dist, and in pred of the variant TREE: none yet */
#define SLOT 8u
#define EDGES 3 /* cells 0 to 2: entries of each class; 3 and 4: out-edges of the frontier, low and high word */
#define LEVEL 5
#define SIDE 6
#define TOUCHED 24 /* totals of two words each */
#define ATOMICS 26
#define UNSETTLED 28 /* targets not reached */
#define STATE 32 /* cells in all */
#ifndef SMALL
#define SMALL 64 /* degrees up to this: one thread */
#define MIDDLE 8192 /* up to this: one block */
#endif

/* What the threads of one launch share; `side` and `tally` are those that are written to. */
#define ARRAYS                                                                                                         \
    GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL i32 *dist, GLOBAL i32 *pred, GLOBAL i32 *owner,        \
        GLOBAL i32 *queue, u32 small, u32 middle, u32 hubs, u32 side, GLOBAL u32 *tally
#define PASS indptr, indices, dist, pred, owner, queue, small, middle, hubs, side, tally

/* A thread's counts. */
typedef struct {
    u64 edges, touched, atomics;
} Work;

/* Where class c of a side begins in the queue. */
DEVICE i64 place(u32 side, i32 c, u32 small, u32 middle, u32 hubs) {
    i64 base = (i64)side * ((i64)small + (i64)middle + (i64)hubs);
    return base + (c > 0 ? (i64)small : 0) + (c > 1 ? (i64)middle : 0);
}

DEVICE void append(ARRAYS, i32 v, Work *work) {
    i64 degree = indptr[v + 1] - indptr[v];
    if (degree == 0) return;
    i32 c = degree <= SMALL ? 0 : degree <= MIDDLE ? 1 : 2;
    u32 at = ADD_u32(&tally[c], 1u);
    work->atomics++;
    work->edges += (u64)degree;
    if (at < (c == 0 ? small : c == 1 ? middle : hubs)) {
        queue[place(side, c, small, middle, hubs) + (i64)at] = v;
#ifndef TREE
        STORE(&owner[v], (i32)at);
#endif
    }
}

/* Edges [first, last) of u, every step-th. `next` is the level of the vertices found. */
DEVICE void expand(ARRAYS, i32 u, i64 first, i64 last, i64 step, i32 next, Work *work) {
    if (first < last) work->touched += (u64)((last - first + step - 1) / step);
    for (i64 e = first; e < last; e += step) {
        i32 v = indices[e];
#if defined(TREE)
        if (v < 0) continue;
        i32 seen = LOAD(&dist[v]);
        if (seen == UNREACHED) {
            seen = CAS_i32(&dist[v], UNREACHED, next);
            work->atomics++;
            if (seen == UNREACHED) append(PASS, v, work);
        }
        if (seen == UNREACHED || seen == next) {
            MIN_i32(&pred[v], u);
            work->atomics++;
        }
#elif defined(RECORD)
        if (LOAD(&dist[v]) == UNREACHED) {
            work->atomics++;
            if (CAS_i32(&dist[v], UNREACHED, next) == UNREACHED) {
                pred[v] = u;
                append(PASS, v, work);
            }
        }
#else
        if (LOAD(&dist[v]) == UNREACHED) {
            STORE(&dist[v], next);
            append(PASS, v, work);
        }
#endif
    }
}

/* The i-th entry of a class, or -1 where another entry of the same vertex owns it. */
DEVICE i32 entry(GLOBAL const i32 *owner, GLOBAL const i32 *queue, i64 base, i64 i) {
    i32 v = queue[base + i];
#ifdef TREE
    return v;
#else
    return LOAD(&owner[v]) == (i32)i ? v : -1;
#endif
}

DEVICE u32 is_over(u32 a, u32 b, u32 c, u32 small, u32 middle, u32 hubs) {
    return a > small || b > middle || c > hubs ? 1u : 0u;
}

/* Puts the sources (each once) into slot 0. */
KERNEL start(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL i32 *dist, GLOBAL i32 *pred, GLOBAL i32 *owner,
             GLOBAL i32 *queue, u32 small, u32 middle, u32 hubs, GLOBAL u32 *state, GLOBAL const i32 *sources, u32 count) {
    u32 side = 0;
    GLOBAL u32 *tally = state;
    Work work = {0, 0, 0};
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) {
        dist[sources[i]] = 0;
        append(PASS, sources[i], &work);
    }
    ADD_WIDE(&tally[EDGES], work.edges);
}

/* One level. */
KERNEL wide(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL i32 *dist, GLOBAL i32 *pred, GLOBAL i32 *owner,
            GLOBAL i32 *queue, u32 small, u32 middle, u32 hubs, GLOBAL u32 *state, u32 slot, i32 bound) {
    LOCAL u32 sums[6];
    GLOBAL u32 *now = state + slot % 3u * SLOT, *tally = state + (slot + 1u) % 3u * SLOT;
    GLOBAL u32 *after = state + (slot + 2u) % 3u * SLOT;
    u32 a = now[0], b = now[1], c = now[2], level = now[LEVEL], old = now[SIDE], side = 1u - old;
    u32 idle = is_over(a, b, c, small, middle, hubs);
    if ((i32)level >= bound) a = b = c = 0;
    if (a + b + c == 0) idle = 1;
    if (GLOBAL_ID == 0) {
        for (i32 k = 0; k < LEVEL; k++) after[k] = 0;
        tally[LEVEL] = idle ? level : level + 1u;
        tally[SIDE] = idle ? old : side;
        if (idle) {
            tally[0] = a;
            tally[1] = b;
            tally[2] = c;
            tally[EDGES] = now[EDGES];
            tally[EDGES + 1] = now[EDGES + 1];
        }
    }
    if (idle) a = b = c = 0; /* and no early return: every thread comes to the barriers */
    if (LOCAL_ID == 0)
        for (i32 k = 0; k < 6; k++) sums[k] = 0;
    BARRIER();
    Work work = {0, 0, 0};
    i32 next = (i32)level + 1;
    i64 base = place(old, 0, small, middle, hubs);
    for (i64 i = GLOBAL_ID; i < a; i += GLOBAL_SIZE) {
        i32 u = entry(owner, queue, base, i);
        if (u >= 0) expand(PASS, u, indptr[u], indptr[u + 1], 1, next, &work);
    }
    base = place(old, 1, small, middle, hubs);
    for (i64 i = GROUP_ID; i < b; i += NUM_GROUPS) {
        i32 u = entry(owner, queue, base, i);
        if (u >= 0) expand(PASS, u, indptr[u] + LOCAL_ID, indptr[u + 1], LOCAL_SIZE, next, &work);
    }
    base = place(old, 2, small, middle, hubs);
    for (i64 i = 0; i < c; i++) {
        i32 u = entry(owner, queue, base, i);
        if (u >= 0) expand(PASS, u, indptr[u] + GLOBAL_ID, indptr[u + 1], GLOBAL_SIZE, next, &work);
    }
    ADD_WIDE(&sums[0], work.edges);
    ADD_WIDE(&sums[2], work.touched);
    ADD_WIDE(&sums[4], work.atomics);
    BARRIER();
    if (LOCAL_ID == 0) {
        ADD_WIDE(&tally[EDGES], WIDE(&sums[0]));
        ADD_WIDE(&state[TOUCHED], WIDE(&sums[2]));
        ADD_WIDE(&state[ATOMICS], WIDE(&sums[4]));
    }
}

/* Levels while they are small, at most `most`. There must be one block only. */
KERNEL narrow(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL i32 *dist, GLOBAL i32 *pred, GLOBAL i32 *owner,
              GLOBAL i32 *queue, u32 small, u32 middle, u32 hubs, GLOBAL u32 *state, u32 slot, i32 bound, u32 limit,
              u32 most) {
    Work work = {0, 0, 0};
    u32 s = slot;
    for (u32 round = 0; round < most; round++) {
        GLOBAL u32 *now = state + s % 3u * SLOT, *tally = state + (s + 1u) % 3u * SLOT;
        GLOBAL u32 *after = state + (s + 2u) % 3u * SLOT;
        u32 a = now[0], b = now[1], c = now[2], level = now[LEVEL], old = now[SIDE], side = 1u - old;
        if (a + b + c == 0 || now[EDGES] > limit || now[EDGES + 1] > 0) break;
        if (is_over(a, b, c, small, middle, hubs) || (i32)level >= bound) break;
        if (LOCAL_ID == 0) {
            for (i32 k = 0; k < LEVEL; k++) after[k] = 0;
            tally[LEVEL] = level + 1u;
            tally[SIDE] = side;
        }
        i32 next = (i32)level + 1;
        work.edges = 0;
        i64 base = place(old, 0, small, middle, hubs);
        i64 share = ((i64)a + LOCAL_SIZE - 1) / LOCAL_SIZE, mine = share * LOCAL_ID; /* neighbours stay neighbours */
        for (i64 i = mine; i < mine + share && i < a; i++) {
            i32 u = entry(owner, queue, base, i);
            if (u >= 0) expand(PASS, u, indptr[u], indptr[u + 1], 1, next, &work);
        }
        for (i32 k = 1; k < 3; k++) {
            base = place(old, k, small, middle, hubs);
            for (i64 i = 0; i < (k == 1 ? b : c); i++) {
                i32 u = entry(owner, queue, base, i);
                if (u >= 0) expand(PASS, u, indptr[u] + LOCAL_ID, indptr[u + 1], LOCAL_SIZE, next, &work);
            }
        }
        ADD_WIDE(&tally[EDGES], work.edges);
        BARRIER(); /* the next level's entries and counts are complete */
        s++;
    }
    ADD_WIDE(&state[TOUCHED], work.touched);
    ADD_WIDE(&state[ATOMICS], work.atomics);
    BARRIER(); /* all have read the last slot before it moves */
    if (LOCAL_ID == 0) { /* to where the host expects it */
        u32 last[SLOT];
        for (u32 k = 0; k < SLOT; k++) last[k] = state[s % 3u * SLOT + k];
        if ((i32)last[LEVEL] >= bound) last[0] = last[1] = last[2] = 0;
        for (u32 k = 0; k < SLOT; k++) state[(slot + 1u) % 3u * SLOT + k] = last[k];
        for (u32 k = 0; k < LEVEL; k++) state[(slot + 2u) % 3u * SLOT + k] = 0;
    }
}

/* One level bottom-up, by in-edges. `in_hubs`: the vertices with so many that the whole grid looks through them. */
KERNEL up(GLOBAL const i64 *indptr, GLOBAL const i64 *starts, GLOBAL const i32 *sources, GLOBAL i32 *dist,
          GLOBAL i32 *pred, u32 n, GLOBAL const i32 *in_hubs, u32 in_hub_count, GLOBAL u32 *state, u32 slot, i32 bound) {
    LOCAL u32 sums[8];
    GLOBAL u32 *now = state + slot % 3u * SLOT, *tally = state + (slot + 1u) % 3u * SLOT;
    GLOBAL u32 *after = state + (slot + 2u) % 3u * SLOT;
    i32 level = (i32)now[LEVEL];
    if (GLOBAL_ID == 0) {
        for (i32 k = 0; k < LEVEL; k++) after[k] = 0;
        tally[LEVEL] = (u32)level + 1u;
        tally[SIDE] = now[SIDE];
    }
    if (LOCAL_ID == 0)
        for (i32 k = 0; k < 8; k++) sums[k] = 0;
    BARRIER();
    Work work = {0, 0, 0};
    u32 found = 0;
    for (i64 v = GLOBAL_ID; v < n && level < bound; v += GLOBAL_SIZE) {
        if (LOAD(&dist[v]) != UNREACHED || starts[v + 1] - starts[v] > MIDDLE) continue;
        for (i64 e = starts[v]; e < starts[v + 1]; e++) {
            work.touched++;
            if (LOAD(&dist[sources[e]]) == level) {
                STORE(&dist[v], level + 1);
#ifdef RECORD
                pred[v] = sources[e];
#endif
                found += indptr[v + 1] > indptr[v] ? 1u : 0u;
                work.edges += (u64)(indptr[v + 1] - indptr[v]);
                break;
            }
        }
    }
    for (i64 i = 0; i < in_hub_count && level < bound; i++) {
        i32 v = in_hubs[i];
        for (i64 e = starts[v] + GLOBAL_ID; e < starts[v + 1]; e += GLOBAL_SIZE) {
            if (LOAD(&dist[v]) != UNREACHED) break;
            work.touched++;
            if (LOAD(&dist[sources[e]]) == level) {
#ifdef RECORD
                work.atomics++;
                if (CAS_i32(&dist[v], UNREACHED, level + 1) != UNREACHED) break;
                pred[v] = sources[e];
#else
                STORE(&dist[v], level + 1); /* by several threads, perhaps: the same number */
#endif
                found++; /* perhaps several times: only whether there is any must be exact */
                work.edges += (u64)(indptr[v + 1] - indptr[v]);
            }
        }
    }
    ADD_WIDE(&sums[0], work.edges);
    ADD_WIDE(&sums[2], work.touched);
    ADD_WIDE(&sums[4], work.atomics);
    ADD_WIDE(&sums[6], found);
    BARRIER();
    if (LOCAL_ID == 0) {
        ADD_WIDE(&tally[EDGES], WIDE(&sums[0]));
        ADD_WIDE(&state[TOUCHED], WIDE(&sums[2]));
        ADD_WIDE(&state[ATOMICS], WIDE(&sums[4]));
        if (sums[6] != 0u) ADD_u32(&tally[0], sums[6]);
    }
}

/* Makes the queue of a level from the distances: after `up`, or after more entries than places. */
KERNEL collect(GLOBAL const i64 *indptr, GLOBAL const i32 *indices, GLOBAL i32 *dist, GLOBAL i32 *pred, GLOBAL i32 *owner,
               GLOBAL i32 *queue, u32 small, u32 middle, u32 hubs, GLOBAL u32 *state, u32 slot, u32 n) {
    GLOBAL u32 *tally = state + slot % 3u * SLOT;
    i32 level = (i32)tally[LEVEL];
    u32 side = tally[SIDE];
    Work work = {0, 0, 0};
    for (i64 v = GLOBAL_ID; v < n; v += GLOBAL_SIZE)
        if (dist[v] == level) append(PASS, (i32)v, &work);
}

/* Counts the targets that are not reached. */
KERNEL unsettled(GLOBAL const i32 *dist, GLOBAL const i32 *targets, u32 count, GLOBAL u32 *state) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE)
        if (dist[targets[i]] == UNREACHED) ADD_u32(&state[UNSETTLED], 1u);
}
