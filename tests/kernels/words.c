/* Every word of the dialect that does something, with many threads on few cells; see tests/test_prelude.py.
 * The kernels with 64-bit atomics are in words64.c: a device may lack those. */

/* CAS, ADD, MIN, MAX, EXCH, OR on one global cell each; every old value is kept. */
KERNEL atomics_u32(GLOBAL u32 *cells, GLOBAL u32 *old, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        old[0 * n + i] = CAS_u32(&cells[0], (u32)i, (u32)i + 1u);
        old[1 * n + i] = ADD_u32(&cells[1], 3u);
        old[2 * n + i] = MIN_u32(&cells[2], (u32)(n - i) + 4000000000u);
        old[3 * n + i] = MAX_u32(&cells[3], (u32)i + 4000000000u);
        old[4 * n + i] = EXCH_u32(&cells[4], (u32)i);
        old[5 * n + i] = OR_u32(&cells[5], 1u << (i % 32));
    }
}

KERNEL atomics_i32(GLOBAL i32 *cells, GLOBAL i32 *old, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        old[0 * n + i] = CAS_i32(&cells[0], (i32)i, (i32)i + 1);
        old[1 * n + i] = ADD_i32(&cells[1], -3);
        old[2 * n + i] = MIN_i32(&cells[2], -(i32)i);
        old[3 * n + i] = MAX_i32(&cells[3], (i32)i - 10);
        old[4 * n + i] = EXCH_i32(&cells[4], (i32)i);
        old[5 * n + i] = OR_i32(&cells[5], 1 << (i % 31));
    }
}

/* The same in a block's own memory: one block, one answer a block. */
KERNEL atomics_local(GLOBAL u32 *unsigned_out, GLOBAL i32 *signed_out, u32 rounds) {
    LOCAL u32 a[6];
    LOCAL i32 b[6];
    if (LOCAL_ID == 0) {
        for (i32 k = 0; k < 6; k++) a[k] = k == 2 ? 0xffffffffu : 0u, b[k] = k == 3 ? -100000 : 0;
    }
    BARRIER();
    for (u32 r = 0; r < rounds; r++) {
        u32 x = r * (u32)LOCAL_SIZE + (u32)LOCAL_ID;
        CAS_u32(&a[0], x, x + 1u), ADD_u32(&a[1], 3u), MIN_u32(&a[2], 4000000000u - x), MAX_u32(&a[3], 4000000000u + x);
        if (x == 5u) EXCH_u32(&a[4], 77u), EXCH_i32(&b[4], -77);
        OR_u32(&a[5], 1u << (x % 32u));
        CAS_i32(&b[0], (i32)x, (i32)x + 1), ADD_i32(&b[1], -3), MIN_i32(&b[2], -(i32)x), MAX_i32(&b[3], (i32)x - 50000);
        OR_i32(&b[5], 1 << (x % 31u));
    }
    BARRIER();
    for (i32 k = LOCAL_ID; k < 6; k += LOCAL_SIZE) {
        unsigned_out[GROUP_ID * 6 + k] = a[k];
        signed_out[GROUP_ID * 6 + k] = b[k];
    }
}

/* Many threads load and store one cell while others do: some value that was stored must come out, whole. */
KERNEL racing(GLOBAL u32 *cell, GLOBAL i32 *signed_cell, GLOBAL u32 *seen, i64 n) {
    LOCAL u32 mine;
    LOCAL i32 flag;
    if (LOCAL_ID == 0) mine = 0u, flag = 0;
    BARRIER();
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        STORE(cell, (u32)(i % 7) * 0x01010101u);
        STORE(signed_cell, -(i32)(i % 7));
        STORE(&mine, 0x55aa55aau);
        STORE(&flag, -1);
        u32 local_seen = LOAD(&mine);
        seen[i] = LOAD(signed_cell) <= 0 && local_seen == 0x55aa55aau && LOAD(&flag) == -1 ? LOAD(cell) : 0xffffffffu;
    }
}

/* Who am I, in words. */
KERNEL ids(GLOBAL i64 *global_id, GLOBAL i32 *local_id, GLOBAL i32 *group, GLOBAL i64 *sizes) {
    global_id[GLOBAL_ID] = GLOBAL_ID;
    local_id[GLOBAL_ID] = LOCAL_ID;
    group[GLOBAL_ID] = GROUP_ID;
    if (GLOBAL_ID == 0) sizes[0] = GLOBAL_SIZE, sizes[1] = LOCAL_SIZE, sizes[2] = NUM_GROUPS;
}

/* Bits and ordered keys, there and back. */
KERNEL keys(GLOBAL const i32 *i, GLOBAL const i64 *l, GLOBAL const f32 *f, GLOBAL u32 *ik, GLOBAL u64 *lk, GLOBAL u32 *fk,
            GLOBAL u32 *fb, GLOBAL u32 *same, i64 n) {
    for (i64 x = GLOBAL_ID; x < n; x += GLOBAL_SIZE) {
        ik[x] = i32_key(i[x]), lk[x] = i64_key(l[x]), fk[x] = f32_key(f[x]), fb[x] = f32_bits(f[x]);
        same[x] = key_i32(ik[x]) == i[x] && key_i64(lk[x]) == l[x] && f32_bits(key_f32(fk[x])) == fb[x] &&
                  f32_bits(bits_f32(fb[x])) == fb[x];
    }
}

/* Scan and reductions over a block. */
KERNEL blocks(GLOBAL const u32 *in, GLOBAL u32 *scan, GLOBAL u32 *totals, GLOBAL u64 *sums) {
    LOCAL u32 scratch[BLOCK];
    LOCAL u64 wide[BLOCK];
    u32 total;
    u32 value = in[GLOBAL_ID];
    scan[GLOBAL_ID] = block_scan_u32(scratch, value, &total);
    u32 sum = block_sum_u32(scratch, value);
    u32 low = block_min_u32(scratch, value);
    u32 high = block_max_u32(scratch, value);
    u64 wide_sum = block_sum_u64(wide, (u64)value << 32);
    u64 wide_low = block_min_u64(wide, (u64)value << 32);
    if (LOCAL_ID == LOCAL_SIZE - 1) {
        totals[GROUP_ID * 4] = total, totals[GROUP_ID * 4 + 1] = sum;
        totals[GROUP_ID * 4 + 2] = low, totals[GROUP_ID * 4 + 3] = high;
        sums[GROUP_ID * 2] = wide_sum, sums[GROUP_ID * 2 + 1] = wide_low;
    }
}

/* u8 cells next to each other, each written by a thread of its own. */
KERNEL bytes(GLOBAL u8 *out, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) out[i] = (u8)(i % 251);
}

/* Wide numbers: every thread adds (i << 20) + 1 to one in each memory. */
KERNEL wide(GLOBAL u32 *cells, GLOBAL u64 *of_blocks, i64 n) {
    LOCAL u32 sum[2];
    if (LOCAL_ID == 0) sum[0] = sum[1] = 0u;
    BARRIER();
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        u64 x = ((u64)i << 20) + 1u;
        ADD_WIDE(cells, x);
        ADD_WIDE(sum, x);
    }
    BARRIER();
    if (LOCAL_ID == 0) of_blocks[GROUP_ID] = WIDE(sum);
}

/* What a kernel reads, for tests of the order of copies and launches. */
KERNEL read_u64(GLOBAL const u64 *from, GLOBAL u64 *to, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) to[i] = from[i];
}
