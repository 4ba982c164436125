// Calls: the native calls that run without the GIL, so that they can be ended when the interpreter ends, and forgotten
// in the child of a fork.
//
// At its end Python frees what the frames of daemon threads hold, graphs among it, and a thread that then asks for the
// GIL never gets it: up to CPython 3.13 it is unwound (pthread_exit) through C++ frames that must not throw, later it
// hangs. So a hook that runs before all this (atexit) tells the calls of all other threads to stop, waits until they
// have left the core, and lets no new one in; their threads see SystemExit, which ends a thread without a word. A
// thread that comes too late, out of a progress callback that took its time, sleeps until the process is gone.
//
// A forked child has only the thread that forked. The calls of the others are forgotten; one of its own (it forked in
// a progress callback) cannot go on without the workers it had, and says so.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include "base/parallel.hpp"
#include "base/watch.hpp"

namespace steppe::bindings {

// Runs f, which may ask for the GIL. Where the interpreter has ended meanwhile, this never returns.
template <class F>
void or_sleep(F f) {
#if defined(__GLIBCXX__)
    try {
        f();
    } catch (abi::__forced_unwind&) {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    f();
#endif
}

class Calls;

// One call: made with the GIL held, which it gives up; its end takes the GIL back.
class Call {
  public:
    explicit Call(Watch& watch);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // f() with the GIL, on the thread that made the call.
    template <class F>
    void with_gil(F f) {
        or_sleep([&] {
            PyEval_RestoreThread(state_);
            in_python_.store(true);
            f();
            in_python_.store(false);
            state_ = PyEval_SaveThread();
        });
    }
    bool is_ending() const { return ending_.load(); }
    bool is_forked() const { return forked_; }

  private:
    friend class Calls;
    Watch& watch_;
    PyThreadState* state_ = nullptr;
    const std::thread::id thread_ = std::this_thread::get_id();
    std::atomic<bool> in_python_{false}, ending_{false};
    bool forked_ = false;
    Call *before_ = nullptr, *after_ = nullptr;  // a list without nodes of its own: entering it cannot fail
};

class Calls {
  public:
    static Calls& instance();
    bool enter(Call& call);  // false once the interpreter is ending, except for the thread that ends it
    void leave(Call& call);
    void end();  // the atexit hook; the GIL is held

  private:
    static Calls* make();
    bool is_anyone_left(bool patient);
    void forget();

    std::mutex lock_;
    Call* first_ = nullptr;
    bool ending_ = false;
    std::thread::id ender_;
};

// Raised in a thread that calls the core, or is in it, when the interpreter ends.
[[noreturn]] inline void raise_exit() {
    PyErr_SetNone(PyExc_SystemExit);
    throw nanobind::python_error();
}

}  // namespace steppe::bindings
