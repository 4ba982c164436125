/* Fill: write one value into every cell.
 *
 * CUDA's memset knows patterns of 1, 2 and 4 bytes; "unreachable" in 64 bits needs 8. OpenCL fills natively. */
KERNEL fill_u64(GLOBAL u64 *RESTRICT cells, i64 first, i64 count, u64 value) {
    for (i64 i = GLOBAL_ID; i < count; i += GLOBAL_SIZE) cells[first + i] = value;
}
