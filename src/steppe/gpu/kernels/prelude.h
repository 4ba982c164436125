/* The words of the dialect that are the same everywhere: keys of distances, and talk within a block.
 * It comes after prelude_cuda.h or prelude_opencl.h. */

/* --- Keys -----------------------------------------------------------------------------------------------------------
 * A KEY is an unsigned integer that sorts as its value does, so that one atomic MIN on integers serves every type.
 * Non-negative floats sort as their bits. With a sign: flip the sign bit of integers and of positive floats, and all bits
 * of negative floats (which puts -0.0 just below 0.0). NaN sorts above +inf. */
DEVICE u32 i32_key(i32 x) { return (u32)x ^ 0x80000000u; }
DEVICE i32 key_i32(u32 k) { return (i32)(k ^ 0x80000000u); }
DEVICE u64 i64_key(i64 x) { return (u64)x ^ 0x8000000000000000ul; }
DEVICE i64 key_i64(u64 k) { return (i64)(k ^ 0x8000000000000000ul); }
DEVICE u32 f32_key(f32 x) { return f32_bits(x) ^ (f32_bits(x) >> 31 ? 0xffffffffu : 0x80000000u); }
DEVICE f32 key_f32(u32 k) { return bits_f32(k ^ (k >> 31 ? 0x80000000u : 0xffffffffu)); }
#ifdef HAS_F64
DEVICE u64 f64_key(f64 x) { return f64_bits(x) ^ (f64_bits(x) >> 63 ? 0xfffffffffffffffful : 0x8000000000000000ul); }
DEVICE f64 key_f64(u64 k) { return bits_f64(k ^ (k >> 63 ? 0x8000000000000000ul : 0xfffffffffffffffful)); }
#endif

/* --- Weights and distances ------------------------------------------------------------------------------------------
 * The host says -DWEIGHT=i32|i64|f32|f64 (as stored), -DDIST=u32|u64|i64|f32|f64 (as added up) and -DKEY=u32|u64, with one
 * of -DDIST_u32 ... -DDIST_f64 and, where distances may be negative, -DSIGNED (i64 is always signed).
 *   TO_KEY(d), FROM_KEY(k)   distance <-> key
 *   KEY_INF                  the key of "unreachable"
 *   DIST_MAX                 the largest sum of integers that may be stored: a sum above it has overflowed, and is noticed
 *                            since (at most half the range) + (at most half the range) cannot wrap
 *   EXTEND(d, w)             d + w in DIST
 *   LENGTH(e)                the weight of edge e in the array `weights`; 1 under -DUNWEIGHTED, which reads no array
 *   MIN_KEY CAS_KEY EXCH_KEY the atomic of KEY's width */
#ifdef UNWEIGHTED
#define LENGTH(e) ((WEIGHT)1)
#else
#define LENGTH(e) weights[e]
#endif
#ifdef DIST
#define EXTEND(d, w) ((DIST)((d) + (DIST)(w)))
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define MIN_KEY PASTE(MIN_, KEY)
#define CAS_KEY PASTE(CAS_, KEY)
#define EXCH_KEY PASTE(EXCH_, KEY)
#if defined(DIST_u32)
#define TO_KEY(d) (d)
#define FROM_KEY(k) (k)
#define KEY_INF 0xffffffffu
#define DIST_MAX 0x7ffffffeu
#elif defined(DIST_u64)
#define TO_KEY(d) (d)
#define FROM_KEY(k) (k)
#define KEY_INF 0xfffffffffffffffful
#define DIST_MAX 0x7ffffffffffffffeul
#elif defined(DIST_i64)
#define TO_KEY(d) i64_key(d)
#define FROM_KEY(k) key_i64(k)
#define KEY_INF 0xfffffffffffffffful
#elif defined(DIST_f32) && !defined(SIGNED)
#define TO_KEY(d) f32_bits(d)
#define FROM_KEY(k) bits_f32(k)
#define KEY_INF 0x7f800000u
#define DIST_MAX bits_f32(KEY_INF)
#elif defined(DIST_f32)
#define TO_KEY(d) f32_key(d)
#define FROM_KEY(k) key_f32(k)
#define KEY_INF 0xff800000u
#define DIST_MAX bits_f32(0x7f800000u)
#elif defined(DIST_f64) && !defined(SIGNED)
#define TO_KEY(d) f64_bits(d)
#define FROM_KEY(k) bits_f64(k)
#define KEY_INF 0x7ff0000000000000ul
#define DIST_MAX bits_f64(KEY_INF)
#elif defined(DIST_f64)
#define TO_KEY(d) f64_key(d)
#define FROM_KEY(k) key_f64(k)
#define KEY_INF 0xfff0000000000000ul
#define DIST_MAX bits_f64(0x7ff0000000000000ul)
#endif
#endif

/* --- Wide numbers ---------------------------------------------------------------------------------------------------
 * Not every device has atomics of 64 bits. A count that may pass 2^32 is two cells of u32, the low word first: ADD_WIDE adds
 * to it from any number of threads, in GLOBAL or LOCAL memory; WIDE reads it when nobody adds. */
#define ADD_WIDE(cells, x)                                                                                             \
    if ((x) != 0) {                                                                                                    \
        u32 low_ = (u32)(x), old_ = ADD_u32(&(cells)[0], low_);                                                        \
        u32 high_ = (u32)((u64)(x) >> 32) + (old_ + low_ < old_ ? 1u : 0u);                                            \
        if (high_ != 0u) ADD_u32(&(cells)[1], high_);                                                                  \
    }
#define WIDE(cells) ((cells)[0] + ((u64)(cells)[1] << 32))

/* --- Within a block -------------------------------------------------------------------------------------------------
 * Every thread of the block calls, in uniform control flow, with the same LOCAL scratch of BLOCK cells (-DBLOCK, the number
 * of threads of a block). The scratch may be used again at once after the call. No warps: log2(BLOCK) steps and barriers. */
#ifdef BLOCK
/* The sum of `value` over the threads before this one; *total becomes the sum over all. */
DEVICE u32 block_scan_u32(LOCAL_POINTER u32 *scratch, u32 value, u32 *total) {
    i32 me = LOCAL_ID;
    u32 sum = value;
    scratch[me] = sum;
    BARRIER();
    for (i32 step = 1; step < LOCAL_SIZE; step *= 2) {
        u32 before = me >= step ? scratch[me - step] : 0u;
        BARRIER();
        sum += before;
        scratch[me] = sum;
        BARRIER();
    }
    *total = scratch[LOCAL_SIZE - 1];
    BARRIER();
    return sum - value;
}

/* Reductions: the same answer for every thread. The number of threads need not be a power of two. */
#define BLOCK_REDUCE(NAME, T, COMBINE)                                                                                 \
    DEVICE T NAME(LOCAL_POINTER T *scratch, T value) {                                                                 \
        i32 me = LOCAL_ID;                                                                                             \
        scratch[me] = value;                                                                                           \
        BARRIER();                                                                                                     \
        for (i32 count = LOCAL_SIZE; count > 1; count = (count + 1) / 2) {                                             \
            i32 other = me + (count + 1) / 2;                                                                          \
            if (other < count) {                                                                                       \
                T x = scratch[me], y = scratch[other];                                                                 \
                scratch[me] = COMBINE;                                                                                 \
            }                                                                                                          \
            BARRIER();                                                                                                 \
        }                                                                                                              \
        T result = scratch[0];                                                                                         \
        BARRIER();                                                                                                     \
        return result;                                                                                                 \
    }
BLOCK_REDUCE(block_sum_u32, u32, x + y)
BLOCK_REDUCE(block_sum_u64, u64, x + y)
BLOCK_REDUCE(block_min_u32, u32, x < y ? x : y)
BLOCK_REDUCE(block_min_u64, u64, x < y ? x : y)
BLOCK_REDUCE(block_max_u32, u32, x > y ? x : y)
#undef BLOCK_REDUCE
#endif
