/* Adopt: rows that another library has on the device are checked before a search trusts them, and brought to the types we store.
 *
 * `offsets` and `targets` say whether something is wrong; weights.c checks the weights. Cells of
 * `faults`, and how many: */
#define OFFSETS 0
#define TARGETS 1
#define FAULTS 2

KERNEL offsets(GLOBAL const i64 *RESTRICT indptr, i64 n, i64 edges, GLOBAL u32 *faults) {
    for (i64 v = GLOBAL_ID; v <= n; v += GLOBAL_SIZE) {
        u32 good = v == 0 ? indptr[0] == 0 : indptr[v] >= indptr[v - 1];
        if (v == n && indptr[n] != edges) good = 0u;
        if (!good) OR_u32(&faults[OFFSETS], 1u);
    }
}

KERNEL targets(GLOBAL const i32 *RESTRICT indices, i64 edges, i64 n, GLOBAL u32 *faults) {
    for (i64 e = GLOBAL_ID; e < edges; e += GLOBAL_SIZE)
        if (indices[e] < 0 || indices[e] >= n) OR_u32(&faults[TARGETS], 1u);
}

/* What does not fit 32 bits becomes -1, which is no vertex. */
KERNEL narrowed(GLOBAL const i64 *RESTRICT wide, i64 count, GLOBAL i32 *RESTRICT out) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE)
        out[i] = wide[i] < 0 || wide[i] > 0x7fffffffl ? -1 : (i32)wide[i];
}
KERNEL widened(GLOBAL const i32 *RESTRICT narrow, i64 count, GLOBAL i64 *RESTRICT out) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) out[i] = narrow[i];
}
