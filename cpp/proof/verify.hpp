// verify: the proof that distances (and predecessors) are shortest-path distances, without searching again.
//
// Two facts are enough. (1) No edge improves: d[v] <= d[u] + w for every edge, sources at 0, so no distance is too
// large. (2) A path of tight edges (d[u] + w == d[v]) leads from a source to every reached vertex, so every distance is
// the length of a real path, and none is too small. An unreached vertex must have no edge from a reached one.
//
// (1) is one sweep over the edges in memory order: no queue, all threads, one gathered read per edge. (2) is nearly
// free in the same sweep: for non-negative weights, a tight edge from a *strictly* nearer vertex is enough, by
// induction over the distance; its target "hangs". Only the rest (zero weights, float weights so small that d + w == d)
// could be a cycle of tight edges with no path from a source; it is searched for from the vertices that hang. With
// negative weights the distances alone show nothing, and that search starts at the sources. Predecessors given: each
// must be the tail of a real tight edge, and following them must end at a source. Where the distance falls strictly
// along them it does; the rest is walked.
//
// Edges mapped from a file leave this process behind the sweep.
//
// The fault reported is that of the smallest vertex, whatever the number of threads.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include "base/atomics.hpp"
#include "base/memory.hpp"
#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "base/watch.hpp"
#include "rows/csr.hpp"
#include "tree/tight.hpp"
#include "tree/tight_avx512.hpp"

namespace steppe::proof {

enum class Fault {
    none,
    source,        // a source is not at distance 0
    not_a_number,  // NaN or -inf
    negative,      // a negative distance though no weight is negative
    beyond_bound,  // reached, but further than the bound
    improves,      // edge vertex -> other makes other nearer
    unreached,     // edge vertex -> other, vertex reached, other not
    not_hung,      // reached, but by no path of tight edges
    predecessor,   // a source or an unreached vertex has a predecessor, or another vertex has none in range
    not_tight,     // no tight edge from the predecessor
    cycle,         // predecessors that never end at a source
};

struct Finding {
    Fault fault = Fault::none;
    int64_t vertex = -1, other = -1;
};

template <class D, class V>
struct Claim {
    const D* distances;
    const V* predecessors;  // null: none given
    std::span<const int64_t> sources;
    D bound;        // inclusive; kInfinity: none
    bool negative;  // some weight is negative
};

template <bool weighted, class V, class W, class D>
class Verifier {
  public:
    Verifier(const rows::Csr<V, W>& g, const Claim<D, V>& claim, int threads, bool mapped, Watch& watch)
        : g_(g),
          c_(claim),
          d_(claim.distances),
          targets_(g.targets, g.edges(), sizeof(V), mapped, true),
          weights_(g.weights, g.edges(), sizeof(W), mapped, true),
          threads_(threads),
          watch_(watch),
          marks_(static_cast<size_t>(g.n), uint8_t{kNone}) {}

    Finding run() {
        for (const int64_t s : c_.sources) {
            if (d_[s] != 0) return {Fault::source, s, -1};
            marks_[s] = kSource;
        }
        sweep();
        if (!failed()) c_.predecessors ? check_tree() : check_hanging();
        watch_.check();
        return finding_;
    }

  private:
    // What is known of a vertex: nothing; it hangs from a strictly nearer one; its predecessor's edge is tight but not
    // strictly falling; it was found from one that hangs; it is on the current walk; it is a source.
    enum Mark : uint8_t { kNone, kHung, kHeld, kFound, kWalked, kSource };
    static constexpr int64_t kBlock = 2048;
    static constexpr int64_t kPiece = 512;

    bool failed() const { return first_.load(std::memory_order_relaxed) != std::numeric_limits<int64_t>::max(); }

    void report(Fault fault, int64_t vertex, int64_t other) {
        std::lock_guard<std::mutex> hold(lock_);
        if (vertex >= first_.load(std::memory_order_relaxed)) return;
        first_.store(vertex, std::memory_order_relaxed);
        finding_ = {fault, vertex, other};
    }

    // f(begin, end) over all vertices, on all threads; ends early past the smallest vertex at fault, or on Ctrl-C. f
    // returns at its first fault.
    template <class F>
    void for_blocks(F f) {
        parallel_for(threads_, g_.n, kBlock, [&](int64_t begin, int64_t end, int) {
            for (int64_t block = begin; block < end; block += kBlock) {
                if (block > first_.load(std::memory_order_relaxed) || watch_.poll(block)) return;
                f(block, std::min(end, block + kBlock));
            }
        });
        watch_.check();
    }

    Fault own_fault(int64_t u) {
        const D a = d_[u];
        if constexpr (std::is_floating_point_v<D>) {
            if (!(a >= std::numeric_limits<D>::lowest())) return Fault::not_a_number;
        }
        if (a < 0 && !c_.negative) return Fault::negative;
        if (a > c_.bound && a != kInfinity<D>) return Fault::beyond_bound;
        if (c_.predecessors) {
            const V p = c_.predecessors[u];
            const bool none = a == kInfinity<D> || LOAD(&marks_[u]) == kSource;
            if (none ? p != -1 : p < 0 || p >= g_.n) return Fault::predecessor;
        }
        return Fault::none;
    }

    using Edge = tree::TightEdge<V>;
    // Distances as vectors compare them. Public integers are int64, nearly always 32 bits hold them.
    using Bits = Narrow<W>;
    static constexpr bool kVectors = STEPPE_AVX512 && sizeof(V) == 4 && (std::is_floating_point_v<D> || sizeof(W) == 4);

    // The distances for append_tight_avx512, or null where that cannot be used.
    const Bits* as_bits() {
#if STEPPE_AVX512
        if constexpr (kVectors) {
            if (c_.negative || !search::avx512_wanted()) return nullptr;
            if constexpr (sizeof(D) == sizeof(Bits)) return reinterpret_cast<const Bits*>(d_);
            narrow_ = Buffer<Bits>(g_.n);
            std::atomic<bool> fits{true};
            for_blocks([&](int64_t begin, int64_t end) {
                bool all = true;
                for (int64_t v = begin; v < end; ++v) {
                    all &= (d_[v] >= 0 && d_[v] <= static_cast<D>(kLargest<uint32_t>)) || d_[v] == kInfinity<D>;
                    narrow_[v] = static_cast<Bits>(std::min<D>(d_[v], static_cast<D>(kInfinity<uint32_t>)));
                }
                if (!all) fits.store(false, std::memory_order_relaxed);
            });
            return fits.load() ? narrow_.data() : nullptr;
        }
#endif
        return nullptr;
    }

    // The tight edges of u among [first, last) at `at`; ors into `bad` whether an edge may be at fault.
    Edge* append([[maybe_unused]] const Bits* bits, V u, int64_t first, int64_t last, Edge* at, bool& bad) const {
#if STEPPE_AVX512
        if constexpr (kVectors)
            if (bits) return tree::append_tight_avx512<weighted>(g_, bits, u, first, last, at, bad);
#endif
        return tree::append_tight<weighted>(g_, d_, d_[u], first, last, at, bad, [u](V v) { return Edge{u, v}; });
    }

    void sweep() {
        const Bits* const bits = as_bits();
        for_blocks([&](int64_t begin, int64_t end) {
            Edge list[2 * kPiece + 8];  // tight edges not yet processed
            Edge* at = list;
            for (int64_t u = begin; u < end; ++u) {
                const Fault own = own_fault(u);
                if (own != Fault::none) return report(own, u, -1);
                if (d_[u] == kInfinity<D>) continue;
                bool bad = false;
                for (int64_t e = g_.offsets[u], stop = g_.offsets[u + 1]; e < stop; e += kPiece) {
                    at = append(bits, static_cast<V>(u), e, std::min(stop, e + kPiece), at, bad);
                    if (at - list > kPiece) at = look_at(list, at);
                }
                if (STEPPE_UNLIKELY(bad) && !excused(u)) return;
            }
            look_at(list, at);
            targets_.pass(g_.offsets[begin], g_.offsets[end]);
            weights_.pass(g_.offsets[begin], g_.offsets[end]);
        });
    }

    // Marks the targets of these tight edges; returns the list's begin.
    Edge* look_at(Edge* list, const Edge* end) {
        if (c_.predecessors) {
            for (const Edge* e = list; e != end; ++e)
                if (c_.predecessors[e->v] == e->u)
                    STORE(&marks_[e->v], d_[e->u] < d_[e->v] && !c_.negative ? kHung : kHeld);
        } else if (!c_.negative) {
            for (const Edge* e = list; e != end; ++e)
                if (d_[e->u] < d_[e->v]) STORE(&marks_[e->v], kHung);
        }
        return list;
    }

    // Some edge of u improves or leads to an unreached vertex. True if the bound excuses them all.
    bool excused(int64_t u) {
        V bad = -1;
        tree::for_sums<weighted>(g_, d_, u, [&](V v, D s, D b) {
            const bool open = b == kInfinity<D>;
            if (bad < 0 && (s < b || (std::is_integral_v<D> && open)) && !(open && s > c_.bound)) bad = v;
        });
        if (bad >= 0) report(d_[bad] == kInfinity<D> ? Fault::unreached : Fault::improves, u, bad);
        return bad < 0;
    }

    bool lacks(int64_t v) const { return marks_[v] == kNone && d_[v] != kInfinity<D>; }

    void check_hanging() {
        if (c_.negative) {
            std::vector<V> stack;
            for (const int64_t s : c_.sources) find_from(s, stack);
        } else {
            std::atomic<bool> left{false};
            for_blocks([&](int64_t begin, int64_t end) {
                for (int64_t v = begin; v < end; ++v)
                    if (lacks(v)) return left.store(true, std::memory_order_relaxed);
            });
            if (!left.load()) return;
            // Vertices found here are expanded by their finder, so only those marked by the sweep are starting points.
            for_blocks([&](int64_t begin, int64_t end) {
                std::vector<V> stack;
                for (int64_t u = begin; u < end; ++u) {
                    const uint8_t mark = LOAD(&marks_[u]);
                    if (mark == kHung || mark == kSource) find_from(u, stack);
                }
            });
        }
        watch_.check();
        for_blocks([&](int64_t begin, int64_t end) {
            for (int64_t v = begin; v < end; ++v)
                if (lacks(v)) return report(Fault::not_hung, v, -1);
        });
    }

    void find_from(int64_t root, std::vector<V>& stack) {
        stack.assign(1, static_cast<V>(root));
        for (int64_t count = 0; !stack.empty(); ++count) {
            if ((count & 4095) == 4095 && watch_.poll()) return;
            const V u = stack.back();
            stack.pop_back();
            tree::for_sums<weighted>(g_, d_, u, [&](V v, D s, D b) {
                if (s == b && b != kInfinity<D> && LOAD(&marks_[v]) == kNone && CAS(&marks_[v], kNone, kFound) == kNone)
                    stack.push_back(v);
            });
        }
    }

    void check_tree() {
        std::mutex lock;
        std::vector<V> held;
        for_blocks([&](int64_t begin, int64_t end) {
            for (int64_t v = begin; v < end; ++v) {
                if (lacks(v)) return report(Fault::not_tight, v, c_.predecessors[v]);
                if (marks_[v] == kHeld) {
                    std::lock_guard<std::mutex> hold(lock);
                    held.push_back(static_cast<V>(v));
                }
            }
        });
        if (failed()) return;
        int64_t steps = 0;
        for (const V v : held) {
            V at = v;
            for (; marks_[at] == kHeld; at = c_.predecessors[at]) {
                marks_[at] = kWalked;
                if ((++steps & 4095) == 0 && watch_.poll()) return;
            }
            if (marks_[at] == kWalked) report(Fault::cycle, smallest_of_cycle(at), c_.predecessors[at]);
            for (V back = v; marks_[back] == kWalked; back = c_.predecessors[back]) marks_[back] = kHung;
        }
    }

    int64_t smallest_of_cycle(V at) const {
        V smallest = at;
        for (V v = c_.predecessors[at]; v != at; v = c_.predecessors[v]) smallest = std::min(smallest, v);
        return smallest;
    }

    const rows::Csr<V, W> g_;
    const Claim<D, V> c_;
    const D* d_;
    Pages targets_, weights_;
    const int threads_;
    Watch& watch_;
    Buffer<uint8_t> marks_;
    Buffer<Bits> narrow_;
    std::atomic<int64_t> first_{std::numeric_limits<int64_t>::max()};
    std::mutex lock_;
    Finding finding_;
};

// Weights that are not int32 must be there; D int32: hops, whatever the weights.
template <class V, class W, class D>
Finding verify(const rows::Csr<V, W>& g, const Claim<D, V>& claim, int threads, bool mapped, Watch& watch) {
    const auto run = [&]<bool weighted>() {
        return Verifier<weighted, V, W, D>(g, claim, threads, mapped, watch).run();
    };
    if constexpr (std::is_same_v<D, int32_t>) return run.template operator()<false>();  // hops
    else if constexpr (!std::is_same_v<W, int32_t>) return run.template operator()<true>();
    else return g.weights ? run.template operator()<true>() : run.template operator()<false>();
}

}  // namespace steppe::proof
