// Weights of any sign over edges that stay in a file: rounds of relaxation over the blocks that have work.
//
// The same bitmap of waiting vertices in blocks, and the same window, as in sweep.hpp. There is no threshold, for
// a negative edge may always come; a pass takes every block with work, front to back, and a block a few times over
// while it improves itself. A vertex waiting when a pass begins is relaxed in it, so after k passes all paths of k
// edges have been looked at, as Bellman and Ford do. The tree and its subtrees (search/bellman_ford.hpp) are not kept:
// twelve more bytes a vertex that the budget rather gives to edges.
//
// Once a negative cycle can be reached, the predecessors come to hold a circle and go on to hold one (Cherkassky and
// Goldberg, 1999). They are looked through after 8, 16, 32, ... passes, with two bits a vertex: walk back from every
// vertex, mark the way, and meet one's own marks. The circle found is added up exactly: with floats rounding may close
// one that is not negative. Then the search goes on, and gives up when n passes were not enough.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/watch.hpp"
#include "external/window.hpp"
#include "rows/csr.hpp"
#include "search/bellman_ford.hpp"

namespace steppe::external {

template <class V, class W>
class ExternalBellmanFord {
  public:
    using D = typename search::BellmanFord<V, W>::D;

    ExternalBellmanFord(const rows::Csr<V, W>& g, Window& window, int shift, D* distances, V* predecessors,
                        Watch& watch)
        : g_(g),
          window_(window),
          shift_(shift),
          distance_(distances),
          predecessor_(predecessors),
          watch_(watch),
          waiting_(words(), 0),
          work_(static_cast<size_t>(window.blocks()), 0) {
        std::fill_n(distance_, g.n, kInfinity<D>);
        std::fill_n(predecessor_, g.n, V{-1});
        list_.reserve(size_t{1} << shift);
    }

    // rounds are passes over the file.
    search::BellmanFordResult run(std::span<const int64_t> sources) {
        for (const int64_t s : sources) {
            distance_[s] = 0;
            mark(static_cast<V>(s));
        }
        for (int64_t look_at = kLook; find_active();) {
            ++result_.rounds;
            window_.begin_pass();
            for (size_t i = 0; i < active_.size(); ++i) {
                for (size_t ahead = i; ahead < std::min(i + kAhead, active_.size()); ++ahead)
                    window_.want(active_[ahead]);
                work_on(active_[i]);
            }
            watch_.check();
            if (outgrown_.below || result_.rounds >= std::min(look_at, g_.n + 1)) {
                look_at *= 2;
                if (find_cycle()) return std::move(result_);
                if (outgrown_.below) return give_up(search::BellmanFordStatus::overflow);
                if (result_.rounds > g_.n + kLook) return give_up(search::BellmanFordStatus::restless);
            }
        }
        if constexpr (std::is_floating_point_v<W>) {
            // Distances came to rest, but a circle's hang from each other and not from a source.
            if (find_cycle()) return std::move(result_);
            if (circle_) return give_up(search::BellmanFordStatus::restless);
        }
        if (outgrown_.above && search::is_lost<true>(g_, std::vector<V>{}, distance_, watch_))
            return give_up(search::BellmanFordStatus::overflow);
        return std::move(result_);
    }

  private:
    static constexpr int64_t kLook = 8;  // passes before the first look for a circle
    static constexpr int kTurns = 8;     // at a block, while it is there
    static constexpr size_t kAhead = 4;  // blocks announced before they are due

    size_t words() const { return static_cast<size_t>((g_.n + 63) / 64); }
    void mark(V v) {
        waiting_[static_cast<uint64_t>(v) >> 6] |= uint64_t{1} << (v & 63);
        work_[static_cast<uint64_t>(v) >> shift_] = 1;
    }
    bool find_active() {
        active_.clear();
        for (int64_t b = 0; b < window_.blocks(); ++b)
            if (work_[b]) active_.push_back(b);
        return !active_.empty();
    }
    search::BellmanFordResult give_up(search::BellmanFordStatus status) {
        result_.status = status;
        return std::move(result_);
    }

    void work_on(int64_t block) {
        const bool in_pieces = window_.is_long(block);
        const int64_t begin = block << (shift_ - 6), end = std::min<int64_t>(words(), (block + 1) << (shift_ - 6));
        for (int turn = 0; turn < kTurns && work_[block]; ++turn) {
            work_[block] = 0;
            list_.clear();
            for (int64_t w = begin; w < end; ++w) {
                for (uint64_t word = waiting_[w]; word; word &= word - 1)
                    list_.push_back(static_cast<V>(w * 64 + std::countr_zero(word)));
                waiting_[w] = 0;
            }
            for (const V u : list_) {
                if (in_pieces) relax_in_pieces(u);
                else relax(u, g_.first(u), g_.last(u));
                if (since_poll_ > 20000) {
                    since_poll_ = 0;
                    watch_.poll(result_.edges_relaxed);
                    watch_.check();
                }
            }
        }
    }

    void relax_in_pieces(V u) {
        const int64_t last = g_.last(u), piece = window_.piece();
        for (int64_t e = g_.first(u); e < last; e += piece) {
            const int64_t end = std::min(last, e + piece), ahead = std::min(last, end + piece);
            window_.want_piece(e, end, ahead);
            relax(u, e, end);
            window_.release_piece(e, end, ahead);
        }
    }

    void relax(V u, int64_t first, int64_t last) {
        result_.edges_relaxed += last - first;
        since_poll_ += last - first + 1;
        for (int64_t e = first; e < last; ++e) {
            if (e + 16 < last) STEPPE_PREFETCH(&distance_[g_.target(e + 16)]);
            const V v = g_.target(e);
            const D d = outgrown_.add(distance_[u], g_.weight(e));
            if (!(d < distance_[v])) continue;
            distance_[v] = d;
            predecessor_[v] = u;
            mark(v);
        }
    }

    // Leaves a negative cycle in result_, if the predecessors hold one; sets circle_ if they hold any.
    bool find_cycle() {
        circle_ = false;
        std::vector<uint64_t> known(words(), 0), way(words(), 0);
        const auto has = [](const std::vector<uint64_t>& bits, V v) { return bits[v >> 6] >> (v & 63) & 1; };
        for (int64_t start = 0; start < g_.n; ++start) {
            if ((start & 0xfffff) == 0) watch_.poll(result_.edges_relaxed), watch_.check();
            V x = static_cast<V>(start);
            for (; x >= 0 && !has(known, x) && !has(way, x); x = predecessor_[x])
                way[x >> 6] |= uint64_t{1} << (x & 63);
            if (x >= 0 && !has(known, x)) {
                circle_ = true;
                if (is_negative_cycle(x)) return true;
            }
            for (V y = static_cast<V>(start); y >= 0 && !has(known, y); y = predecessor_[y])
                known[y >> 6] |= uint64_t{1} << (y & 63);
        }
        return false;
    }

    bool is_negative_cycle(V x) {
        std::vector<int64_t> cycle;
        search::ExactSum sum;
        V v = x;
        do {
            cycle.push_back(v);
            const V u = predecessor_[v];
            sum.add(search::lightest(g_, u, v));
            v = u;
        } while (v != x);
        if (std::is_floating_point_v<W> && !sum.negative()) return false;
        std::reverse(cycle.begin(), cycle.end());
        result_.cycle = std::move(cycle);
        result_.status = search::BellmanFordStatus::negative_cycle;
        return true;
    }

    const rows::Csr<V, W>& g_;
    Window& window_;
    const int shift_;
    D* const distance_;
    V* const predecessor_;
    Watch& watch_;
    std::vector<uint64_t> waiting_;  // a bit per vertex
    std::vector<uint8_t> work_;      // whether a block has waiting vertices
    std::vector<int64_t> active_;
    std::vector<V> list_;
    search::BellmanFordResult result_;
    int64_t since_poll_ = 0;
    search::Outgrown outgrown_;
    bool circle_ = false;  // the predecessors hold a circle
};

}  // namespace steppe::external
