/* The words of the dialect (DIALECT.md) for CUDA: NVRTC on a machine with an NVIDIA GPU, and the tests' stand-in driver,
 * which compiles the same text for the host. C++ is allowed here, in the prelude, and nowhere else. */
typedef unsigned char u8;
typedef int i32;
typedef unsigned int u32;
typedef long long i64; /* `long` has 32 bits in CUDA on Windows */
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define HAS_F64 1
#define HAS_ATOMIC_64 1

#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ inline
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()

#define LOCAL_ID ((i32)threadIdx.x)
#define LOCAL_SIZE ((i32)blockDim.x)
#define GROUP_ID ((i32)blockIdx.x)
#define NUM_GROUPS ((i32)gridDim.x)
#define GLOBAL_ID ((i64)blockIdx.x * blockDim.x + threadIdx.x)
#define GLOBAL_SIZE ((i64)gridDim.x * blockDim.x)

/* Bits of floats. */
DEVICE u32 f32_bits(f32 x) { return __float_as_uint(x); }
DEVICE f32 bits_f32(u32 x) { return __uint_as_float(x); }
DEVICE u64 f64_bits(f64 x) { return (u64)__double_as_longlong(x); }
DEVICE f64 bits_f64(u64 x) { return __longlong_as_double((long long)x); }

/* Atomics: the old value comes back. CUDA names them only for unsigned 64 bits where the sign does not matter. */
DEVICE u32 CAS_u32(u32 *p, u32 x, u32 y) { return atomicCAS(p, x, y); }
DEVICE i32 CAS_i32(i32 *p, i32 x, i32 y) { return atomicCAS(p, x, y); }
DEVICE u64 CAS_u64(u64 *p, u64 x, u64 y) { return atomicCAS(p, x, y); }
DEVICE i64 CAS_i64(i64 *p, i64 x, i64 y) { return (i64)atomicCAS((u64 *)p, (u64)x, (u64)y); }
DEVICE u32 ADD_u32(u32 *p, u32 y) { return atomicAdd(p, y); }
DEVICE i32 ADD_i32(i32 *p, i32 y) { return atomicAdd(p, y); }
DEVICE u64 ADD_u64(u64 *p, u64 y) { return atomicAdd(p, y); }
DEVICE i64 ADD_i64(i64 *p, i64 y) { return (i64)atomicAdd((u64 *)p, (u64)y); }
DEVICE u32 MIN_u32(u32 *p, u32 y) { return atomicMin(p, y); }
DEVICE i32 MIN_i32(i32 *p, i32 y) { return atomicMin(p, y); }
DEVICE u64 MIN_u64(u64 *p, u64 y) { return atomicMin(p, y); }
DEVICE i64 MIN_i64(i64 *p, i64 y) { return atomicMin(p, y); }
DEVICE u32 MAX_u32(u32 *p, u32 y) { return atomicMax(p, y); }
DEVICE i32 MAX_i32(i32 *p, i32 y) { return atomicMax(p, y); }
DEVICE u64 MAX_u64(u64 *p, u64 y) { return atomicMax(p, y); }
DEVICE i64 MAX_i64(i64 *p, i64 y) { return atomicMax(p, y); }
DEVICE u32 EXCH_u32(u32 *p, u32 y) { return atomicExch(p, y); }
DEVICE i32 EXCH_i32(i32 *p, i32 y) { return atomicExch(p, y); }
DEVICE u64 EXCH_u64(u64 *p, u64 y) { return atomicExch(p, y); }
DEVICE i64 EXCH_i64(i64 *p, i64 y) { return (i64)atomicExch((u64 *)p, (u64)y); }
DEVICE u32 OR_u32(u32 *p, u32 y) { return atomicOr(p, y); }
DEVICE i32 OR_i32(i32 *p, i32 y) { return atomicOr(p, y); }
DEVICE u64 OR_u64(u64 *p, u64 y) { return atomicOr(p, y); }
DEVICE i64 OR_i64(i64 *p, i64 y) { return (i64)atomicOr((u64 *)p, (u64)y); }

/* Accesses that are meant to race. STORE takes the cell's own type, as a typed function would. */
template <class T> struct same_type { typedef T type; };
#ifdef STANDIN
template <class T> DEVICE T LOAD(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> DEVICE void STORE(T *p, typename same_type<T>::type y) { __atomic_store_n(p, y, __ATOMIC_RELAXED); }
#else
template <class T> DEVICE T LOAD(const T *p) { return *(const volatile T *)p; }
template <class T> DEVICE void STORE(T *p, typename same_type<T>::type y) { *(volatile T *)p = y; }
#endif
