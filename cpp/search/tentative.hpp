// Tentative: every vertex's distance so far, and the predecessor that gave it, improved by many threads at once.
//
// improve(v, d, u) lowers v's distance to d with predecessor u and says whether it did. Distance and predecessor change
// together or not at all: no thread can see, or leave behind, one without the other. Three ways:
//   Distances          no predecessors wanted: one MIN
//   PackedPaths        32-bit distance and 32-bit vertex in one 64-bit word, one CAS
//   LockedPaths        wider types: a small spin lock, one of 1024 chosen by the vertex. Reads stay lock-free. Without
//                      predecessors (null) one MIN
// Where every vertex has one thread that writes it, no such care is needed (OneWriter), nor where there is one thread
// (Alone). set(v, d, u) is for the only thread that writes v, when it has seen that d is better. A vector scan
// (scan_avx512.hpp) reads v's distance kBytes * v behind distances().
#pragma once
#include <atomic>
#include <memory>

#include "base/atomics.hpp"
#include "base/halves.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "search/search.hpp"

namespace steppe::search {

// One thread: plain memory. With kRecord `pred` may still be null, which every improvement asks: one form for both.
template <bool kRecord, class V, class D>
class Alone {
  public:
    static constexpr bool kPaths = kRecord;
    Alone(D* dist, V* pred) : dist_(dist), pred_(pred) {}
    Alone(const Search<V, D>& search, int64_t n, D* dist, V* pred) : Alone(dist, pred) {
        start<V, D>(search, n, dist, kPaths ? pred : nullptr);
    }
    static constexpr int kBytes = sizeof(D);
    const void* distances() const { return dist_; }
    const void* address(V v) const { return &dist_[v]; }
    D load(V v) const { return dist_[v]; }
    STEPPE_INLINE void prefetch_set(V v) const {
        if constexpr (kPaths) STEPPE_PREFETCH_WRITE(&pred_[v]);
    }
    void set(V v, D d, V u) {
        dist_[v] = d;
        if constexpr (kPaths)
            if (pred_) pred_[v] = u;
    }
    bool improve(V v, D d, V u) {
        if (!(d < dist_[v])) return false;
        set(v, d, u);
        return true;
    }
    // Only the distance: the caller records paths to v.
    void note(V v, D d) { dist_[v] = d; }

  private:
    D* dist_;
    V* pred_;
};

// Several threads, of which only one writes a vertex at a time: all may read its distance. `pred` as in Alone.
template <bool kRecord, class V, class D>
class OneWriter {
  public:
    static constexpr bool kPaths = kRecord;
    OneWriter(D* dist, V* pred) : dist_(dist), pred_(pred) {}
    static constexpr int kBytes = sizeof(D);
    const void* distances() const { return dist_; }
    const void* address(V v) const { return &dist_[v]; }
    D load(V v) const { return LOAD(&dist_[v]); }
    void set(V v, D d, V u) {
        STORE(&dist_[v], d);
        if constexpr (kPaths)
            if (pred_) pred_[v] = u;
    }

  private:
    D* dist_;
    V* pred_;
};

template <class V, class D>
class Distances {
  public:
    static constexpr bool kPaths = false;
    Distances(const Search<V, D>& search, int64_t n, D* dist, V*) : dist_(dist) {
        start<V, D>(search, n, dist, nullptr);
    }
    static constexpr int kBytes = sizeof(D);
    const void* distances() const { return dist_; }
    const void* address(V v) const { return &dist_[v]; }
    D load(V v) const { return LOAD(&dist_[v]); }
    bool improve(V v, D d, V) { return d < MIN(&dist_[v], d); }
    void set(V v, D d, V) { STORE(&dist_[v], d); }
    void finish(int) {}

  private:
    D* dist_;
};

template <class V, class D>
class PackedPaths {
    static_assert(sizeof(V) == 4 && sizeof(D) == 4);

  public:
    static constexpr bool kPaths = true;
    PackedPaths(const Search<V, D>& search, int64_t n, D* dist, V* pred) : cells_(n), dist_(dist), pred_(pred) {
        parallel_for(search.threads, n, 1 << 18, [&](int64_t begin, int64_t end, int) {
            std::fill(cells_.data() + begin, cells_.data() + end, pack(kInfinity<D>, V{-1}));
        });
        for (V s : search.sources) cells_[s] = pack(D{0}, V{-1});
    }
    static constexpr int kBytes = 8;
    const void* distances() const { return reinterpret_cast<const char*>(cells_.data()) + 4; }  // little-endian
    const void* address(V v) const { return &cells_[v]; }
    D load(V v) const { return distance(LOAD(&cells_[v])); }
    bool improve(V v, D d, V u) {
        uint64_t old = LOAD(&cells_[v]);
        while (d < distance(old)) {
            const uint64_t seen = CAS(&cells_[v], old, pack(d, u));
            if (seen == old) return true;
            old = seen;
        }
        return false;
    }
    void set(V v, D d, V u) { STORE(&cells_[v], pack(d, u)); }
    void finish(int threads) {
        parallel_for(threads, static_cast<int64_t>(cells_.size()), 1 << 16, [&](int64_t begin, int64_t end, int) {
            for (int64_t v = begin; v < end; ++v) {
                dist_[v] = distance(cells_[v]);
                pred_[v] = second_half<V>(cells_[v]);
            }
        });
    }

  private:
    static uint64_t pack(D d, V u) { return join_halves(d, u); }
    static D distance(uint64_t cell) { return first_half<D>(cell); }
    Buffer<uint64_t> cells_;
    D* dist_;
    V* pred_;
};

template <class V, class D>
class LockedPaths {
  public:
    static constexpr bool kPaths = true;
    LockedPaths(const Search<V, D>& search, int64_t n, D* dist, V* pred)
        : dist_(dist), pred_(pred), locks_(new std::atomic_flag[kLocks]) {
        start<V, D>(search, n, dist, pred);
    }
    static constexpr int kBytes = sizeof(D);
    const void* distances() const { return dist_; }
    const void* address(V v) const { return &dist_[v]; }
    D load(V v) const { return LOAD(&dist_[v]); }
    bool improve(V v, D d, V u) {
        if (!pred_) return d < MIN(&dist_[v], d);
        if (!(d < load(v))) return false;
        std::atomic_flag& lock = locks_[static_cast<uint64_t>(v) % kLocks];
        while (lock.test_and_set(std::memory_order_acquire)) pause_cpu();
        const bool better = d < load(v);
        if (better) {
            STORE(&dist_[v], d);
            STORE(&pred_[v], u);
        }
        lock.clear(std::memory_order_release);
        return better;
    }
    void set(V v, D d, V u) {
        STORE(&dist_[v], d);
        if (pred_) STORE(&pred_[v], u);
    }
    void finish(int) {}

  private:
    static constexpr uint64_t kLocks = 1024;
    D* dist_;
    V* pred_;
    std::unique_ptr<std::atomic_flag[]> locks_;
};

template <bool kPaths, class V, class D>
using Tentative =
    std::conditional_t<!kPaths, Distances<V, D>,
                       std::conditional_t<sizeof(V) == 4 && sizeof(D) == 4, PackedPaths<V, D>, LockedPaths<V, D>>>;

}  // namespace steppe::search
