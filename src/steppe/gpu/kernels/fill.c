/* Fill: write one value into every cell, or into some; and the reverse of the latter, read some cells of every row of a matrix.
 *
 * CUDA's memset knows patterns of 1, 2 and 4 bytes; "unreachable" in 64 bits needs 8. OpenCL fills natively. */
KERNEL fill_u64(GLOBAL u64 *RESTRICT cells, i64 first, i64 count, u64 value) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) cells[first + i] = value;
}

KERNEL scatter_u32(GLOBAL u32 *cells, GLOBAL const i32 *RESTRICT places, i64 count, u32 value) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) cells[places[i]] = value;
}
KERNEL scatter_u64(GLOBAL u64 *cells, GLOBAL const i32 *RESTRICT places, i64 count, u64 value) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) cells[places[i]] = value;
}

/* Columns of a matrix whose rows are `width` long. */
KERNEL columns_u32(GLOBAL const u32 *RESTRICT cells, i64 width, GLOBAL const i32 *RESTRICT columns, i64 count, i64 total,
                   GLOBAL u32 *RESTRICT out) {
    for (i64 i = GLOBAL_ID; i < total; i += GLOBAL_SIZE) out[i] = cells[i / count * width + columns[i % count]];
}
KERNEL columns_u64(GLOBAL const u64 *RESTRICT cells, i64 width, GLOBAL const i32 *RESTRICT columns, i64 count, i64 total,
                   GLOBAL u64 *RESTRICT out) {
    for (i64 i = GLOBAL_ID; i < total; i += GLOBAL_SIZE) out[i] = cells[i / count * width + columns[i % count]];
}

/* Hops as distances. */
KERNEL lengths(GLOBAL const i32 *RESTRICT hops, i64 n, GLOBAL i64 *RESTRICT out) {
    for (i64 v = GLOBAL_ID; v < n; v += GLOBAL_SIZE) out[v] = hops[v] == 0x7fffffff ? 0x7fffffffffffffffl : (i64)hops[v];
}
