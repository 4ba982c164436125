// Owned: which vertices are whose, where threads of one search have vertices of their own (phases.hpp), and why threads
// that search together stop.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace steppe::search {

// Who owns which vertices.
class Owners {
  public:
    Owners(int64_t n, int team) : team_(team) {
        // Many blocks for each thread, so that all have some of every wave; large ones, so that few edges leave them.
        while (shift_ < 16 && (n >> (shift_ + 1)) >= 32 * team) ++shift_;
    }
    int of(int64_t v) const { return static_cast<int>((v >> shift_) % team_); }

    // The share of the edges that lead to vertices of another thread: few on roads and grids, where numbers follow
    // places. From a sample of vertices.
    template <class V, class Rows>
    static double leaving(const Rows& g, int team) {
        const Owners owners(g.n, team);
        const int64_t samples = std::min<int64_t>(g.n, 1024);
        int64_t all = 0, others = 0;
        for (int64_t i = 0; i < samples; ++i) {
            const V u = static_cast<V>(g.n / samples * i);
            each_target(g, u, [&](int64_t v) {
                if (v == u) return;  // what fills a record up
                ++all;
                others += owners.of(v) != owners.of(u);
            });
        }
        return static_cast<double>(others) / static_cast<double>(std::max<int64_t>(1, all));
    }

  private:
    template <class Rows, class V, class F>
    static void each_target(const Rows& g, V u, F f) {
        if constexpr (Rows::kRecords) {
            g.each(u, [&](auto v, auto) { f(v); });
        } else {
            const int64_t first = g.first(u), last = std::min(g.last(u), first + 64);
            for (int64_t e = first; e < last; ++e) f(g.target(e));
        }
    }
    const int team_;
    int shift_ = 6;
};

// Why threads have stopped pushing, and what they leave to do.
enum class Halt { kNone, kPull, kBlocked, kStuck, kNarrower, kWider, kOutgrown, kWide };

template <class V, class D>
struct Rest {
    Halt why = Halt::kNone;
    D low = 0;            // the lower bound of all that is not final
    std::vector<V> left;  // the vertices still filed
};

inline constexpr const char* kHeldUp = "a thread was held up: finished on one";

// The first reason that a thread gives holds for all.
class Halted {
  public:
    void because(Halt why) {
        Halt none = Halt::kNone;
        why_.compare_exchange_strong(none, why, std::memory_order_relaxed);
    }
    bool is() const { return why_.load(std::memory_order_relaxed) != Halt::kNone; }
    Halt why() const { return why_.load(); }

  private:
    std::atomic<Halt> why_{Halt::kNone};
};

// Pauses without a sign of life before a thread that waits for another calls itself blocked: meant to be longer than an
// interrupt and shorter than a time slice that the system gives to somebody else. Tests set it to nothing.
inline int& patience() {
    static int pauses = 10000;
    return pauses;
}

}  // namespace steppe::search
