/* The words of the dialect (DIALECT.md) for OpenCL C 1.2.
 * The host defines HAS_F64 and HAS_ATOMIC_64 from the device's extensions; a device without them is asked for neither. */
#ifdef HAS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HAS_ATOMIC_64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef uchar u8;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
#ifdef HAS_F64
typedef double f64;
#endif

#define KERNEL __kernel void
#define DEVICE static inline
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER __local
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define LOCAL_ID ((i32)get_local_id(0))
#define LOCAL_SIZE ((i32)get_local_size(0))
#define GROUP_ID ((i32)get_group_id(0))
#define NUM_GROUPS ((i32)get_num_groups(0))
#define GLOBAL_ID ((i64)get_global_id(0))
#define GLOBAL_SIZE ((i64)get_global_size(0))

#define f32_bits(x) as_uint(x)
#define bits_f32(x) as_float(x)
#ifdef HAS_F64
#define f64_bits(x) as_ulong(x)
#define bits_f64(x) as_double(x)
#endif

/* The built-in functions accept both address spaces, which functions of our own could not in OpenCL C 1.2; hence macros.
 * The cast keeps a wrongly typed value from choosing another overload: the pointer alone decides. */
#define CAS_u32(p, x, y) atomic_cmpxchg((p), (u32)(x), (u32)(y))
#define CAS_i32(p, x, y) atomic_cmpxchg((p), (i32)(x), (i32)(y))
#define ADD_u32(p, y) atomic_add((p), (u32)(y))
#define ADD_i32(p, y) atomic_add((p), (i32)(y))
#define MIN_u32(p, y) atomic_min((p), (u32)(y))
#define MIN_i32(p, y) atomic_min((p), (i32)(y))
#define MAX_u32(p, y) atomic_max((p), (u32)(y))
#define MAX_i32(p, y) atomic_max((p), (i32)(y))
#define EXCH_u32(p, y) atomic_xchg((p), (u32)(y))
#define EXCH_i32(p, y) atomic_xchg((p), (i32)(y))
#define OR_u32(p, y) atomic_or((p), (u32)(y))
#define OR_i32(p, y) atomic_or((p), (i32)(y))
#ifdef HAS_ATOMIC_64
#define CAS_u64(p, x, y) atom_cmpxchg((p), (u64)(x), (u64)(y))
#define CAS_i64(p, x, y) atom_cmpxchg((p), (i64)(x), (i64)(y))
#define ADD_u64(p, y) atom_add((p), (u64)(y))
#define ADD_i64(p, y) atom_add((p), (i64)(y))
#define MIN_u64(p, y) atom_min((p), (u64)(y))
#define MIN_i64(p, y) atom_min((p), (i64)(y))
#define MAX_u64(p, y) atom_max((p), (u64)(y))
#define MAX_i64(p, y) atom_max((p), (i64)(y))
#define EXCH_u64(p, y) atom_xchg((p), (u64)(y))
#define EXCH_i64(p, y) atom_xchg((p), (i64)(y))
#define OR_u64(p, y) atom_or((p), (u64)(y))
#define OR_i64(p, y) atom_or((p), (i64)(y))
#endif

/* Accesses that are meant to race: volatile, so that the compiler makes one access of each, and not two halves of one of 64 bits, whose
 * mixture could lie below both. For a race detector (-DCHECK) they are atomics, so that what it still reports is not meant.
 * `overloadable` is clang's, which the compilers of OpenCL are built on. */
#ifdef CHECK
#define WORDS(T, SPACE, or, exchange)                                                                                  \
    DEVICE T __attribute__((overloadable)) LOAD(SPACE const T *p) { return or((SPACE volatile T *)p, (T)0); }           \
    DEVICE void __attribute__((overloadable)) STORE(SPACE T *p, T y) { exchange((SPACE volatile T *)p, y); }
#else
#define WORDS(T, SPACE, or, exchange)                                                                                  \
    DEVICE T __attribute__((overloadable)) LOAD(SPACE const T *p) { return *(SPACE const volatile T *)p; }              \
    DEVICE void __attribute__((overloadable)) STORE(SPACE T *p, T y) { *(SPACE volatile T *)p = y; }
#endif
WORDS(i32, __global, atomic_or, atomic_xchg)
WORDS(u32, __global, atomic_or, atomic_xchg)
WORDS(i32, __local, atomic_or, atomic_xchg)
WORDS(u32, __local, atomic_or, atomic_xchg)
#if defined(HAS_ATOMIC_64) || !defined(CHECK)
WORDS(i64, __global, atom_or, atom_xchg)
WORDS(u64, __global, atom_or, atom_xchg)
WORDS(i64, __local, atom_or, atom_xchg)
WORDS(u64, __local, atom_or, atom_xchg)
#endif
#undef WORDS
