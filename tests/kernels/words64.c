/* The 64-bit atomics and doubles of the dialect; see words.c. */
KERNEL atomics_u64(GLOBAL u64 *cells, GLOBAL u64 *old, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        u64 big = (u64)1 << 40;
        old[0 * n + i] = CAS_u64(&cells[0], (u64)i, (u64)i + 1);
        old[1 * n + i] = ADD_u64(&cells[1], 3 * big);
        old[2 * n + i] = MIN_u64(&cells[2], (u64)(n - i) * big);
        old[3 * n + i] = MAX_u64(&cells[3], (u64)i * big);
        old[4 * n + i] = EXCH_u64(&cells[4], (u64)i);
        old[5 * n + i] = OR_u64(&cells[5], (u64)1 << (i % 64));
    }
}

KERNEL atomics_i64(GLOBAL i64 *cells, GLOBAL i64 *old, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        i64 big = (i64)1 << 40;
        old[0 * n + i] = CAS_i64(&cells[0], i, i + 1);
        old[1 * n + i] = ADD_i64(&cells[1], -3 * big);
        old[2 * n + i] = MIN_i64(&cells[2], -i * big);
        old[3 * n + i] = MAX_i64(&cells[3], (i - 10) * big);
        old[4 * n + i] = EXCH_i64(&cells[4], i);
        old[5 * n + i] = OR_i64(&cells[5], (i64)1 << (i % 63));
    }
}

KERNEL atomics_local(GLOBAL u64 *unsigned_out, GLOBAL i64 *signed_out, u32 rounds) {
    LOCAL u64 a[6];
    LOCAL i64 b[6];
    if (LOCAL_ID == 0) {
        for (i32 k = 0; k < 6; k++) a[k] = k == 2 ? (u64)1 << 60 : 0, b[k] = k == 3 ? -((i64)1 << 60) : 0;
    }
    BARRIER();
    for (u32 r = 0; r < rounds; r++) {
        u32 x = r * (u32)LOCAL_SIZE + (u32)LOCAL_ID;
        u64 wide = (u64)x << 32;
        CAS_u64(&a[0], x, x + 1u), ADD_u64(&a[1], 3u), MIN_u64(&a[2], ((u64)1 << 50) - wide), MAX_u64(&a[3], wide);
        if (x == 5u) EXCH_u64(&a[4], 77u), EXCH_i64(&b[4], -77);
        OR_u64(&a[5], (u64)1 << (x % 64u));
        CAS_i64(&b[0], (i64)x, (i64)x + 1), ADD_i64(&b[1], -3), MIN_i64(&b[2], -(i64)wide), MAX_i64(&b[3], -(i64)wide - 5);
        OR_i64(&b[5], (i64)1 << (x % 63u));
    }
    BARRIER();
    for (i32 k = LOCAL_ID; k < 6; k += LOCAL_SIZE) {
        unsigned_out[GROUP_ID * 6 + k] = a[k];
        signed_out[GROUP_ID * 6 + k] = b[k];
    }
}

KERNEL racing(GLOBAL u64 *cell, GLOBAL i64 *signed_cell, GLOBAL u64 *seen, i64 n) {
    LOCAL u64 mine;
    LOCAL i64 flag;
    if (LOCAL_ID == 0) mine = 0, flag = 0;
    BARRIER();
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        STORE(cell, (u64)(i % 7) * 0x0101010101010101ul);
        STORE(signed_cell, -(i % 7));
        STORE(&mine, 0x55aa55aa55aa55aaul);
        STORE(&flag, -1);
        u64 local_seen = LOAD(&mine);
        seen[i] = LOAD(signed_cell) <= 0 && local_seen == 0x55aa55aa55aa55aaul && LOAD(&flag) == -1 ? LOAD(cell) : ~(u64)0;
    }
}

KERNEL keys(GLOBAL const f64 *f, GLOBAL u64 *fk, GLOBAL u64 *fb, GLOBAL u32 *same, i64 n) {
    for (i64 x = GLOBAL_ID; x < n; x += GLOBAL_SIZE) {
        fk[x] = f64_key(f[x]), fb[x] = f64_bits(f[x]);
        same[x] = f64_bits(key_f64(fk[x])) == fb[x] && f64_bits(bits_f64(fb[x])) == fb[x];
    }
}
