/* Weights that another library has on the device (adopt.c): the least and the largest of each thread, and whether all are numbers. */
/* TYPES: unsigned */
#define NUMBERS 0
#define FAULTS 1

KERNEL weights_of(GLOBAL const WEIGHT *RESTRICT weights, i64 edges, GLOBAL WEIGHT *found, GLOBAL u32 *faults) {
    WEIGHT low = weights[0], high = weights[0];
    for (i64 e = GLOBAL_ID; e < edges; e += GLOBAL_SIZE) {
        WEIGHT w = weights[e];
        if (!(w == w) || (w < 0 && w - w != w - w)) OR_u32(&faults[NUMBERS], 1u); /* NaN and -inf */
        low = w < low ? w : low;
        high = w > high ? w : high;
    }
    found[2 * GLOBAL_ID] = low;
    found[2 * GLOBAL_ID + 1] = high;
}
