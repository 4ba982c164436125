// CUDA's built-in names on the host, put before the kernel text that the stand-in driver (cuda.cpp) compiles with g++.
// A block runs on one operating-system thread, its threads as fibers, so a variable of the block is a thread_local.
#define STANDIN 1
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __shared__ static thread_local

struct simt_index {
    unsigned x;
};
static thread_local simt_index threadIdx, blockIdx, blockDim, gridDim;
static void (*simt_barrier)();
static inline void __syncthreads() { simt_barrier(); }

template <class T>
static inline T atomicCAS(T* p, T x, T y) {
    __atomic_compare_exchange_n(p, &x, y, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return x;
}
template <class T>
static inline T atomicAdd(T* p, T y) {
    return __atomic_fetch_add(p, y, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicOr(T* p, T y) {
    return __atomic_fetch_or(p, y, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicExch(T* p, T y) {
    return __atomic_exchange_n(p, y, __ATOMIC_RELAXED);
}
template <class T>
static inline T atomicMin(T* p, T y) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (y < old && !__atomic_compare_exchange_n(p, &old, y, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}
template <class T>
static inline T atomicMax(T* p, T y) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (y > old && !__atomic_compare_exchange_n(p, &old, y, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return old;
}

template <class To, class From>
static inline To simt_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "bits");
    To y;
    __builtin_memcpy(&y, &x, sizeof y);
    return y;
}
static inline unsigned __float_as_uint(float x) { return simt_bits<unsigned>(x); }
static inline float __uint_as_float(unsigned x) { return simt_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return simt_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return simt_bits<double>(x); }

// What the driver needs to know of a kernel: the sizes of its parameters, which of them are pointers, and how to call
// it.
template <class T>
struct simt_is_pointer {
    static const bool value = false;
};
template <class T>
struct simt_is_pointer<T*> {
    static const bool value = true;
};
template <class T>
struct simt_is_pointer<T* __restrict__> {
    static const bool value = true;
};
template <class... A>
static int simt_describe(void (*)(A...), int* sizes, bool* pointers) {
    int s[] = {sizeof(A)..., 0};
    bool p[] = {simt_is_pointer<A>::value..., false};
    for (unsigned i = 0; i < sizeof...(A); i++) sizes[i] = s[i], pointers[i] = p[i];
    return sizeof...(A);
}
template <int... I>
struct simt_indices {};
template <int N, int... I>
struct simt_count : simt_count<N - 1, N - 1, I...> {};
template <int... I>
struct simt_count<0, I...> {
    typedef simt_indices<I...> type;
};
template <class... A, int... I>
static void simt_apply(void (*f)(A...), void** p, simt_indices<I...>) {
    f(*(A*)p[I]...);
}
template <class... A>
static void simt_call(void (*f)(A...), void** p) {
    simt_apply(f, p, typename simt_count<sizeof...(A)>::type());
}
#define SIMT_EXPORT extern "C" __attribute__((visibility("default")))
SIMT_EXPORT void simt_enter(unsigned thread, unsigned block, unsigned threads, unsigned blocks, void (*barrier)()) {
    threadIdx.x = thread, blockIdx.x = block, blockDim.x = threads, gridDim.x = blocks;
    simt_barrier = barrier;
}
#define SIMT_KERNEL(name)                                               \
    SIMT_EXPORT void simt_call_##name(void** p) { simt_call(name, p); } \
    SIMT_EXPORT int simt_describe_##name(int* sizes, bool* pointers) { return simt_describe(name, sizes, pointers); }
