// Watch: how a long search notices Ctrl-C and reports its progress.
//
// Loops call poll() every few thousand edges. It costs one relaxed load, and on the calling thread a read of the clock;
// at most every 20 ms that thread calls `ask`, which (in the bindings) takes the GIL, runs Python's signal handlers and
// the progress callback. The other threads only read the flag, so a stop reaches all threads within one poll.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "base/types.hpp"

namespace steppe {

// Vertices or edges between two polls of a watch, as a mask of their number.
inline constexpr int64_t kPollMask = (1 << 16) - 1;

struct Interrupted {};

class Watch {
  public:
    explicit Watch(std::function<bool(int64_t)> ask = {}) : ask_(std::move(ask)) {}

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // Ends the search at its next poll, from any thread.
    void stop() { stop_.store(true, std::memory_order_relaxed); }

    // True when the search should end. `done` is passed to the progress callback (vertices settled, edges read, …).
    bool poll(int64_t done = 0) { return stopped() || (ask_ && ask(done)); }

    // Called once by the search after its threads have joined.
    void check() const {
        if (stopped()) throw Interrupted{};
    }

  private:
    using Clock = std::chrono::steady_clock;
    STEPPE_NOINLINE bool ask(int64_t done) {
        if (std::this_thread::get_id() != caller_) return false;
        const auto now = Clock::now();
        if (now < next_) return false;
        next_ = now + std::chrono::milliseconds(20);
        if (ask_(done)) stop();
        return stopped();
    }

    std::function<bool(int64_t)> ask_;
    std::atomic<bool> stop_{false};
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(20);
};

}  // namespace steppe
