// What this machine's memory allows, measured: the yardstick that benchmarks lay beside every time.
//
// A search must at least read every edge (in order) and the distance of its end (anywhere). So two figures bound every
// method from below: the time of a random 4-byte read in an array as large as the distances, when
// reads do not wait for one another, and the time to stream the edges. Both are taken as the least of several short
// runs: a run of a few milliseconds often escapes the other users of a busy host, a long one never does.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace steppe {

// The least wall time of `repeats` calls of job(thread) on all threads, in nanoseconds.
template <class Job>
double least_ns(int threads, int repeats, Job job) {
    using Clock = std::chrono::steady_clock;
    double least = 1e300;
    for (int i = 0; i < repeats; ++i) {
        const auto begun = Clock::now();
        parallel(threads, [&](int thread, int) { job(thread); });
        least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begun).count());
    }
    return least;
}

// Results that are not used go here, so that the compiler keeps the reads.
inline void keep(uint64_t value) {
    static volatile uint64_t sink;
    sink = value;
    (void)sink;
}

// Nanoseconds per independent random read of 4 bytes within `bytes`, each of `threads` threads making `reads` of them.
inline double random_read_ns(int64_t bytes, int64_t reads, int threads, int repeats) {
    const auto size = static_cast<uint64_t>(std::max<int64_t>(bytes / 4, 1));
    Buffer<uint32_t> array(size, 1);
    const int64_t steps = std::max<int64_t>(reads / 4, 1);
    const double ns = least_ns(threads, repeats, [&](int thread) {
        // Four generators side by side: the processor sees enough addresses ahead to be limited by memory, not by
        // arithmetic.
        uint64_t x[4], sum = 0;
        for (uint64_t k = 0; k < 4; ++k) x[k] = (static_cast<uint64_t>(thread) * 4 + k + 1) * 0x9e3779b97f4a7c15u;
        for (int64_t i = 0; i < steps; ++i) {
            for (uint64_t& state : x) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                sum += array[((state >> 32) * size) >> 32];
            }
        }
        keep(sum);
    });
    return ns / static_cast<double>(steps * 4);
}

// Nanoseconds per byte when every thread reads its part of `bytes` in order.
inline double sequential_read_ns(int64_t bytes, int threads, int repeats) {
    const auto size = std::max<int64_t>(bytes / 8, 8);
    Buffer<uint64_t> array(static_cast<size_t>(size), 1);
    const double ns = least_ns(threads, repeats, [&](int thread) {
        uint64_t sum[4] = {};
        const int64_t end = size * (thread + 1) / threads - 3;
        for (int64_t i = size * thread / threads; i < end; i += 4) {
            for (int64_t k = 0; k < 4; ++k) sum[k] += array[static_cast<size_t>(i + k)];
        }
        keep(sum[0] + sum[1] + sum[2] + sum[3]);
    });
    return ns / static_cast<double>(size * 8);
}

}  // namespace steppe
