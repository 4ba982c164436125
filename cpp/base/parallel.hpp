// Threads: a pool of workers from the standard library, and the two ways of using it.
//
//   parallel(threads, f)              f(thread, threads) on every thread of the team
//   parallel_for(threads, n, grain, f) f(begin, end, thread) over blocks of [0, n) handed out from one counter
//   parallel_for(threads, n, grain, watch, f)  the same for long work: Ctrl-C is heard between two blocks
//
// An exception in any thread reaches the caller, once all threads have ended; no thread takes a new block after one.
// Threads that wait for each other in other ways must make sure that a thread that throws does not leave them waiting
// (search/mailboxes.hpp).
//
// Workers spin for a few microseconds after a job (the next one often follows at once) and then sleep in the kernel: a
// spinning thread on a busy host steals the core from the one that works. The pool serves one search at a time; a
// search that finds it in use (several Python threads, each with its own query) runs on its calling thread alone, so N
// callers do not start N x N threads. Workers beyond the number of processors, where a call asked for them, end with
// that call (trim). After fork() the child starts a pool of its own. This is the only file that names
// threads.
//
// Where memory runs out, a search goes on with the workers there are. The C library ends the process if it has no
// memory for what a thread keeps to itself, when the thread first touches that. So a worker is started only while there
// is room left beside its stack, and touches all of it before the next one is started (ready_for_errors).
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#if !defined(_WIN32)
#include <pthread.h>
#include <sys/mman.h>
#endif
#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif
#if defined(_M_X64)
#include <intrin.h>
#endif

#include "base/watch.hpp"

namespace steppe {

inline void pause_cpu() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();  // not _mm_pause: its header takes longer to compile than this one
#elif defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
}

// Makes what the runtime keeps of exceptions for this thread, now, while there is memory: without any it would abort.
inline void ready_for_errors() {
#if defined(__GLIBCXX__)
    const volatile void* const touched = abi::__cxa_get_globals();
    (void)touched;
#endif
}

// Waits until `done()` holds: a bounded spin, then the kernel's sleep on `word` (woken by word.notify_all()).
template <class Done>
void wait_until(std::atomic<uint32_t>& word, Done done) {
    for (int i = 0; i < 2000; ++i) {
        if (done()) return;
        pause_cpu();
    }
    for (;;) {
        uint32_t seen = word.load(std::memory_order_acquire);
        if (done()) return;
        word.wait(seen, std::memory_order_acquire);
    }
}

// A barrier of all threads of a team; the last one to arrive may do something before the others go on.
class Barrier {
  public:
    // False where a thread has left, now or before: no thread waits any more.
    template <class Last>
    bool arrive(int team, Last last) {
        return arrive(team, last, false);
    }
    bool arrive(int team) {
        return arrive(team, [] {}, true);
    }
    // For a thread that will not arrive again.
    void leave() {
        left_.store(true);
        go_on();
    }
    // How long threads have slept that waited only for others to arrive, and the age of the barrier.
    double slept_us() const { return static_cast<double>(slept_.load(std::memory_order_relaxed)) * 1e-3; }
    double age_us() const { return static_cast<double>(nanoseconds_since(born_)) * 1e-3; }

  private:
    using Clock = std::chrono::steady_clock;
    static int64_t nanoseconds_since(Clock::time_point then) {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - then).count();
    }
    template <class Last>
    bool arrive(int team, Last last, bool counts) {
        const uint32_t round = round_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
            last();
            arrived_.store(0, std::memory_order_relaxed);
            go_on();
        } else {
            const auto done = [&] { return round_.load(std::memory_order_acquire) != round || left_.load(); };
            for (int i = 0; i < 2000 && !done(); ++i) pause_cpu();
            if (!done()) {
                const Clock::time_point then = Clock::now();
                wait_until(round_, done);
                if (counts) slept_.fetch_add(nanoseconds_since(then), std::memory_order_relaxed);
            }
        }
        return !left_.load();
    }
    void go_on() {
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
    }
    std::atomic<int> arrived_{0};
    alignas(64) std::atomic<uint32_t> round_{0};
    std::atomic<bool> left_{false};
    std::atomic<int64_t> slept_{0};
    const Clock::time_point born_ = Clock::now();
};

// A function that its caller keeps: two pointers, so that what hands out work is compiled once and not for every
// function that is given to it.
template <class... Args>
class Borrowed {
  public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, Borrowed>)
    Borrowed(F&& f)
        : function_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* function, Args... args) { (*static_cast<std::remove_reference_t<F>*>(function))(args...); }) {}
    void operator()(Args... args) const { call_(function_, args...); }

  private:
    void* function_;
    void (*call_)(void*, Args...);
};

class Pool {
  public:
    static Pool& instance() {
        static Pool* pool = make();
        return *pool;
    }

    // Runs job(thread, threads) on up to `threads` threads, the caller among them; rethrows the first exception.
    void run(int threads, const Borrowed<int, int>& job) {
        threads = std::min(threads, static_cast<int>(kTeam));
        // Not a mutex: a progress callback may search too, on the thread that holds the pool.
        if (threads <= 1 || busy_.test_and_set(std::memory_order_acquire)) return job(0, 1);
        const Hold hold{busy_};
        threads = std::min(threads, 1 + hire(threads - 1));
        if (threads == 1) return job(0, 1);
        job_ = &job;
        error_ = nullptr;
        pending_.store(threads - 1, std::memory_order_relaxed);
        announce(threads);
        call(0, threads);
        wait_until(finished_, [&] { return pending_.load(std::memory_order_acquire) == 0; });
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    // Ends the workers that the machine has no processors for; while the pool is in use, the call that uses it does.
    void trim() {
        if (count_.load(std::memory_order_relaxed) <= kept_ || busy_.test_and_set(std::memory_order_acquire)) return;
        const Hold hold{busy_};
        announce(0);
        for (; static_cast<int>(workers_.size()) > kept_; workers_.pop_back()) workers_.back().join();
        count_.store(kept_, std::memory_order_relaxed);
    }

  private:
    struct Hold {
        std::atomic_flag& busy;
        ~Hold() { busy.clear(std::memory_order_release); }
    };
    static Pool*& current() {
        static Pool* pool = nullptr;
        return pool;
    }
    static Pool* make() {
        // Never destroyed: its workers end with the process, and a static destructor could run before them.
        Pool* pool = new Pool;
#if !defined(_WIN32)
        current() = pool;
        pthread_atfork(nullptr, nullptr, [] {
            Pool* parent = current();
            if (parent) new (parent) Pool;  // the child has none of the parent's threads: forget them, without joining
        });
#endif
        return pool;
    }
    // Wakes the workers for a job of so many threads; 0: for nothing, but those beyond kept_ are to leave.
    void announce(int threads) {
        // An exchange, not a store: waking looks for sleepers after the word has changed, and only a read-modify-write
        // keeps the processor from looking before.
        round_.exchange(((round_.load(std::memory_order_relaxed) | kTeam) + 1) | static_cast<uint32_t>(threads));
        round_.notify_all();
    }
    static bool has_room() {
#if !defined(_WIN32)
        void* const room = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (room == MAP_FAILED) return false;
        munmap(room, kRoom);
#endif
        return true;
    }
    // Starts workers until there are `count`; fewer where the system has no more threads, or no memory for one. Returns
    // how many there are.
    int hire(int count) {
        try {
            while (static_cast<int>(workers_.size()) < count && has_room()) {
                const int index = static_cast<int>(workers_.size()) + 1;
                const uint32_t seen = round_.load(), before = started_.load();
                workers_.emplace_back([this, index, seen] { work(index, seen); });
                wait_until(started_, [&] { return started_.load(std::memory_order_acquire) != before; });
            }
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {}
        count_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
        return static_cast<int>(workers_.size());
    }
    void call(int thread, int threads) {
        try {
            (*job_)(thread, threads);
        } catch (...) {
            std::lock_guard<std::mutex> lock(error_lock_);
            if (!error_) error_ = std::current_exception();
        }
    }
    void work(int index, uint32_t seen) {
        ready_for_errors();
        started_.fetch_add(1, std::memory_order_release);
        started_.notify_all();
        for (;;) {
            wait_until(round_, [&] { return round_.load(std::memory_order_acquire) != seen; });
            seen = round_.load(std::memory_order_acquire);
            const int team = static_cast<int>(seen & kTeam);
            if (team == 0 && index > kept_) return;
            if (index >= team) continue;  // this job is for fewer threads; touch nothing of it
            call(index, team);
            if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                finished_.fetch_add(1, std::memory_order_release);
                finished_.notify_all();
            }
        }
    }

    // round_ holds a job's number (high bits) and its team size (low bits) in one word, so that a worker which is late
    // for a job it has no part in cannot mix up two jobs.
    static constexpr uint32_t kTeam = 0x3ff;
    static constexpr size_t kRoom = size_t{32} << 20;  // left beside a worker's stack: for the search, and for errors
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
    std::mutex error_lock_;
    std::vector<std::thread> workers_;
    std::atomic<int> count_{0};  // of workers_, for threads that do not hold the pool
    const int kept_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency())) - 1;
    const Borrowed<int, int>* job_ = nullptr;
    std::exception_ptr error_;
    std::atomic<int> pending_{0};
    std::atomic<uint32_t> round_{0}, finished_{0}, started_{0};
};

inline void parallel(int threads, Borrowed<int, int> f) {
    if (threads <= 1) return f(0, 1);
    Pool::instance().run(threads, f);
}

namespace detail {

// Hands out blocks until there are none, a thread has thrown, or the watch says stop.
inline void share_blocks(int threads, int64_t n, int64_t grain, Watch* watch, Borrowed<int64_t, int64_t, int> f) {
    std::atomic<int64_t> next{0};
    parallel(threads, [&](int thread, int) {
        for (;;) {
            const int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
            if (begin >= n || (watch && watch->poll())) return;
            try {
                f(begin, std::min(begin + grain, n), thread);
            } catch (...) {
                next.store(n, std::memory_order_relaxed);
                throw;
            }
        }
    });
}

inline int team_for(int threads, int64_t n, int64_t grain) {
    return static_cast<int>(std::min<int64_t>(threads, (n + grain - 1) / grain));
}

}  // namespace detail

inline void parallel_for(int threads, int64_t n, int64_t grain, Borrowed<int64_t, int64_t, int> f) {
    threads = detail::team_for(threads, n, grain);
    if (threads > 1) return detail::share_blocks(threads, n, grain, nullptr, f);
    if (n > 0) f(0, n, 0);
}

// Throws Interrupted after a stop.
inline void parallel_for(int threads, int64_t n, int64_t grain, Watch& watch, Borrowed<int64_t, int64_t, int> f) {
    detail::share_blocks(detail::team_for(threads, n, grain), n, grain, &watch, f);
    watch.check();
}

}  // namespace steppe
