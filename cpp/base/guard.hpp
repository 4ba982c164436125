// Guard: a file that shrinks while it is mapped is an error, not the end of the process.
//
// Touching a mapped page behind the end of its file (or one the disk cannot give) raises SIGBUS. Mappings are entered
// in a table here; the handler looks the address up, puts zeros in place of the whole mapping (the program that
// shortened the file may be writing other data into it), notes that it did, and lets the read go on. Zeros are harmless
// to the reader: vertex 0, weight 0. A call compares `faults` before and after, and gives no answer where it changed
// (bindings/arrays.hpp does so for every native call); a graph checks its own guard before it returns its rows. A fault
// outside these mappings goes to the handler that was installed before (faulthandler's, for example), or ends the
// process as it would have.
//
// The file itself stays open, so that its size and time (`Identity`) show changes in place.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#if defined(__linux__) || defined(__APPLE__)
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>

#include "base/lock.hpp"
#define STEPPE_HAS_GUARD 1
#else
#define STEPPE_HAS_GUARD 0
#endif

namespace steppe {

struct Identity {
    int64_t device = 0, inode = 0, size = -1, modified = 0, changed = 0;  // times in nanoseconds
};

namespace guard {

inline std::atomic<uint32_t> replaced{0};  // how often pages of zeros were put in place, in this process

#if STEPPE_HAS_GUARD

struct Slot {
    std::atomic<uintptr_t> begin{0}, end{0};  // 0: free
    std::atomic<bool> faulted{false};
};
inline constexpr int kSlots = 1024;
inline Slot slots[kSlots];
inline struct sigaction before;
inline uintptr_t page = 0;
inline Lock lock;

inline void on_fault(int number, siginfo_t* info, void* context) {
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    if (info->si_code > 0) {  // a fault, not a kill()
        for (Slot& slot : slots) {
            const uintptr_t begin = slot.begin.load(std::memory_order_acquire), end = slot.end.load();
            if (!begin || at < begin || at >= end) continue;
            const int error = errno;
            void* const got = mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            errno = error;
            if (got == MAP_FAILED) break;
            slot.faulted.store(true);
            replaced.fetch_add(1);
            return;
        }
    }
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(number);
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);  // a fault comes again by itself
}

// Installs our handler again where another has been installed since.
inline void install() {
    struct sigaction now;
    if (sigaction(SIGBUS, nullptr, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) return;
    page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    before = now;
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    (void)sigaction(SIGBUS, &ours, nullptr);
}

#endif

}  // namespace guard

#if STEPPE_HAS_GUARD

class Guard {
  public:
    Guard(int file, uintptr_t begin, size_t size) : file_(dup(file)) {
        if (file_ < 0) throw std::runtime_error("a mapped file cannot be kept open");
        const std::lock_guard<Lock> hold(guard::lock);
        for (guard::Slot& slot : guard::slots) {
            if (slot.begin.load()) continue;
            guard::install();
            slot.faulted.store(false);
            slot.end.store((begin + size + guard::page - 1) / guard::page * guard::page);
            slot.begin.store(begin, std::memory_order_release);
            slot_ = &slot;
            return;
        }
        close(file_);
        throw std::runtime_error("too many files are mapped");
    }
    Guard(const Guard&) = delete;
    ~Guard() {
        slot_->begin.store(0, std::memory_order_release);
        close(file_);
    }
    bool faulted() const {
        {
            const std::lock_guard<Lock> hold(guard::lock);
            guard::install();
        }
        return slot_->faulted.load();
    }
    Identity identity() const {
        struct stat found;
        if (fstat(file_, &found) != 0) return {};
#if defined(__APPLE__)
        const struct timespec modified = found.st_mtimespec, changed = found.st_ctimespec;
#else
        const struct timespec modified = found.st_mtim, changed = found.st_ctim;
#endif
        return {static_cast<int64_t>(found.st_dev), static_cast<int64_t>(found.st_ino),
                static_cast<int64_t>(found.st_size), nanoseconds(modified), nanoseconds(changed)};
    }

  private:
    static int64_t nanoseconds(const struct timespec& time) {
        return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    }
    int file_;
    guard::Slot* slot_ = nullptr;
};

#else

// Windows refuses to shorten a file that is mapped.
class Guard {
  public:
    Guard(int, uintptr_t, size_t) {}
    Guard(const Guard&) = delete;
    bool faulted() const { return false; }
    Identity identity() const { return {}; }
};

#endif

}  // namespace steppe
