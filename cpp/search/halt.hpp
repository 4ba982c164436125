// Halt: why the threads of a search stop before its end, and what they leave to do.
#pragma once
#include <atomic>
#include <vector>

namespace steppe::search {

enum class Halt {
    kNone,
    kPull,      // the rest is to be pulled
    kBlocked,   // a thread was held up by the system
    kStuck,     // edges were relaxed again too often
    kNarrower,  // buckets are too wide
    kWider,     // buckets are too narrow
    kOutgrown,  // a sum needs a wider type
    kWide,      // breadth-first: levels have become wide
};

template <class V, class D>
struct Unfinished {
    Halt why = Halt::kNone;
    D low = 0;                // the lower bound of all distances that are not final
    std::vector<V> vertices;  // those still in buckets
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

// Pauses without a heartbeat of another thread after which a waiting thread calls itself blocked. Meant to be longer
// than an interrupt, and shorter than the time slice that the system gives to another process. Tests set it to 0.
inline int& patience() {
    static int pauses = 10000;
    return pauses;
}

}  // namespace steppe::search
