/* Answer: keys as the distances that users see, on the device: i64 for integers (largest: unreached), floats as they are. */
KERNEL public_integers(GLOBAL const KEY *RESTRICT keys, i64 n, GLOBAL i64 *RESTRICT out) {
    for (i64 v = GLOBAL_ID; v < n; v += GLOBAL_SIZE) {
#if defined(DIST_u32) || defined(DIST_u64)
        out[v] = keys[v] > DIST_MAX ? 0x7fffffffffffffffl : (i64)keys[v];
#else
        out[v] = (i64)FROM_KEY(keys[v]);
#endif
    }
}

KERNEL public_floats(GLOBAL const KEY *RESTRICT keys, i64 n, GLOBAL DIST *RESTRICT out) {
    for (i64 v = GLOBAL_ID; v < n; v += GLOBAL_SIZE) out[v] = FROM_KEY(keys[v]);
}
