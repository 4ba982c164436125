/* The words that follow from WEIGHT and DIST; see tests/test_prelude.py. */
KERNEL relax(GLOBAL const WEIGHT *w, GLOBAL const DIST *d, GLOBAL KEY *cell, GLOBAL KEY *keys, GLOBAL DIST *back, i64 n) {
    for (i64 i = GLOBAL_ID; i < n; i += GLOBAL_SIZE) {
        DIST sum = EXTEND(d[i], w[i]);
        keys[i] = TO_KEY(sum);
        back[i] = FROM_KEY(keys[i]);
        MIN_KEY(cell, TO_KEY(sum));
    }
}

KERNEL infinity(GLOBAL KEY *out) {
    KEY old = KEY_INF;
    if (GLOBAL_ID == 0) {
        old = EXCH_KEY(&out[0], KEY_INF);
        old = CAS_KEY(&out[1], old, KEY_INF);
        STORE(&out[2], old);
    }
}
