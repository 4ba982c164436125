// Lock: a mutex that outlives the call in which it is locked, and that is unlocked in a forked child.
//
// A child has only the thread that forked. A mutex that another thread held at that moment would stay locked in it for
// ever, and the data it guards might be half written. So fork() locks all of them first, and parent and child unlock
// them again: no other thread holds one then. Locks are held for a few instructions, and no thread takes two.
//
// Mutexes of one call (proof/verify.hpp, external/window.hpp) need none of this: no call goes on in a child
// (bindings/calls.hpp).
#pragma once
#include <mutex>
#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace steppe {

class Lock {
  public:
    Lock() {
#if !defined(_WIN32)
        const std::lock_guard<std::mutex> hold(list().lock);
        after_ = list().first;
        if (after_) after_->before_ = this;
        list().first = this;
#endif
    }
    ~Lock() {
#if !defined(_WIN32)
        const std::lock_guard<std::mutex> hold(list().lock);
        (before_ ? before_->after_ : list().first) = after_;
        if (after_) after_->before_ = before_;
#endif
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

    // To be called before there is a second thread.
    static void survive_forks() {
#if !defined(_WIN32)
        pthread_atfork(
            [] {
                list().lock.lock();
                for (Lock* lock = list().first; lock; lock = lock->after_) lock->lock();
            },
            open_all, open_all);
#endif
    }

  private:
    std::mutex mutex_;
#if !defined(_WIN32)
    struct List {
        std::mutex lock;
        Lock* first = nullptr;
    };
    static List& list() {
        static List* const list = new List;  // never destroyed: locks may be when static destructors run
        return *list;
    }
    static void open_all() {
        for (Lock* lock = list().first; lock; lock = lock->after_) lock->unlock();
        list().lock.unlock();
    }
    Lock *before_ = nullptr, *after_ = nullptr;
#endif
};

}  // namespace steppe
