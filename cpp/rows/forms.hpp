// Forms: what is made of a graph's rows once, when searches gain by it, and kept as long as the graph.
//
//   quads     records of four (quads.hpp), where nearly all vertices have few edges
//   out, in   packed rows of both directions (packed.hpp), for all other graphs
//   ones      a weight for every edge of a graph that has none, for methods that read weights
//
// Each is published by one exchange of a pointer: readers need no lock, and a child of fork() finds none locked. A
// form that another thread has published first is freed again. The packed in-edges of a graph are the
// packed out-edges of its reverse: the two share them.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/memory.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "rows/packed.hpp"
#include "rows/quads.hpp"

namespace steppe::rows {

// Empty, then for ever one value.
template <class T>
class Once {
  public:
    using Shared = std::shared_ptr<const T>;
    Once() = default;
    Once(const Once&) = delete;
    ~Once() { delete kept_.load(); }

    const T* get() const {
        const Shared* kept = kept_.load(std::memory_order_acquire);
        return kept ? kept->get() : nullptr;
    }
    Shared share() const {
        const Shared* kept = kept_.load(std::memory_order_acquire);
        return kept ? *kept : nullptr;
    }
    // Keeps the value, unless there is one; returns the one there is.
    const T& keep(Shared value) {
        auto mine = std::make_unique<const Shared>(std::move(value));
        const Shared* none = nullptr;
        if (kept_.compare_exchange_strong(none, mine.get(), std::memory_order_acq_rel)) none = mine.release();
        return **none;
    }

  private:
    std::atomic<const Shared*> kept_{nullptr};
};

template <class W>
class Forms {
  public:
    using Weight = W;

    const Quads<W>* quads() const { return quads_.get(); }
    const Packed<W>* out() const { return in_.get() ? out_.get() : nullptr; }  // both directions, or none
    const Packed<W>* in() const { return in_.get(); }
    const char* name() const { return quads() ? "quads" : out() ? "packed" : ""; }
    int64_t bytes() const {
        int64_t sum = 0;
        if (quads()) sum += quads()->bytes();
        if (out_.get()) sum += out_.get()->bytes();
        if (in() && in() != out_.get()) sum += in()->bytes();
        return sum;
    }

    // Rows of four of these rows, if they suit them; else null. Weights must not be negative.
    const Quads<W>* make_quads(const Csr<int32_t, W>& g, int threads, Watch& watch) {
        if (quads() || !Quads<W>::suit(g)) return quads();
        return &quads_.keep(std::make_shared<const Quads<W>>(g, threads, watch));
    }
    // Packed rows of both directions. `reverse` and its forms: those of the reverse graph, null where that is the same.
    void make_packed(const Csr<int32_t, W>& g, const Csr<int32_t, W>* reverse, Forms* of_reverse, int threads,
                     Watch& watch) {
        if (out()) return;
        pack(g, threads, watch);
        if (of_reverse && of_reverse != this) of_reverse->pack(*reverse, threads, watch);
        in_.keep(of_reverse ? of_reverse->out_.share() : out_.share());
    }
    const W* make_ones(int64_t edges) {
        if (!ones_.get()) ones_.keep(std::make_shared<const Buffer<W>>(static_cast<size_t>(edges), W{1}));
        return ones_.get()->data();
    }

  private:
    void pack(const Csr<int32_t, W>& g, int threads, Watch& watch) {
        if (!out_.get()) out_.keep(std::make_shared<const Packed<W>>(g, threads, watch));
    }
    Once<Packed<W>> out_, in_;
    Once<Quads<W>> quads_;
    Once<Buffer<W>> ones_;
};

// A graph's rows and their forms in one type of vertices and weights: what searches are given. Forms are of 32-bit
// vertices.
template <class V, class W>
struct View {
    Csr<V, W> csr;
    Forms<W>& forms;

    const Quads<W>* quads() const {
        if constexpr (sizeof(V) == 4) return forms.quads();
        return nullptr;
    }
    const Packed<W>* out() const {
        if constexpr (sizeof(V) == 4) return forms.out();
        return nullptr;
    }
    // The same with a weight for every edge.
    View weighted() const {
        View all{csr, forms};
        if (!csr.weights) all.csr.weights = forms.make_ones(csr.edges());
        return all;
    }
};

}  // namespace steppe::rows
