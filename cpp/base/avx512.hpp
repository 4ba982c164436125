// AVX-512, chosen while running, never by a flag of the compiler: one build runs everywhere. Sanitizers get the plain
// code, because they cannot see inside a gather.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STEPPE_AVX512 1
#if defined(__clang__)
#include <immintrin.h>
#else  // GCC 12 warns of registers that its own header leaves undefined on purpose
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
#else
#define STEPPE_AVX512 0
#endif

namespace steppe {

#if STEPPE_AVX512
#define STEPPE_WIDE __attribute__((target("avx512f,avx512vl,avx512dq")))
#define STEPPE_LANE __attribute__((target("avx512f,avx512vl,avx512dq"), always_inline)) static inline

inline bool avx512_found() {
    __builtin_cpu_init();  // which may not have happened yet when the library is loaded
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
// Whether vectors are used; tests switch it off and on (bindings/testing.cpp). Found out when the library is loaded: a
// child forked while another thread was at it would wait for that thread for ever.
inline bool avx512_is_wanted = avx512_found();
inline bool& avx512_wanted() { return avx512_is_wanted; }
#endif

}  // namespace steppe
