// Pages: advice to the kernel about an array that is mapped from a file.
//
// need announces a range (WILLNEED: the kernel starts to read and does not wait); release and pass drop one (DONTNEED:
// the pages leave this process; the kernel may keep them as a cache). A later read brings dropped pages back, so to
// drop too much is slow but never wrong. The kernel may ignore advice, and failures are ignored, too.
//
// A page that is read may bring in its neighbours, so whole ranges of 2 MiB are dropped together. This keeps the mapped
// part of our memory near a budget, not strictly within it: the kernel decides what it maps around a page. Only pages
// that hold nothing but this array are dropped. For an array that is not mapped nothing is done.
#pragma once
#include <algorithm>
#include <cstdint>
#if defined(__linux__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#define STEPPE_HAS_PAGES 1
#else
#define STEPPE_HAS_PAGES 0
#endif

namespace steppe {

#if STEPPE_HAS_PAGES

class Pages {
  public:
    // ordered: read front to back, which the kernel notices and reads ahead; else the callers announce what comes next.
    Pages(const void* data, int64_t count, int64_t item, bool mapped, bool ordered = false)
        : data_(reinterpret_cast<uintptr_t>(data)), bytes_(static_cast<uintptr_t>(count * item)), item_(item) {
        if (mapped && data) page_ = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        random_ = page_ && !ordered;
        if (random_) advise(down(data_, page_), up(data_ + bytes_, page_), MADV_RANDOM);
    }
    Pages(const Pages&) = delete;
    ~Pages() {
        if (random_) advise(down(data_, page_), up(data_ + bytes_, page_), MADV_NORMAL);
    }
    void need(int64_t first, int64_t last) {
        if (page_) advise(down(address(first), page_), up(address(last), page_), MADV_WILLNEED);
    }
    void release(int64_t first, int64_t last) {
        if (page_) let_go(down(address(first), kAround), up(address(last), kAround));
    }
    // Elements [first, last) have been read, and those before them will be soon: drops the ranges that end among them,
    // but one range later, when the other threads have left it.
    void pass(int64_t first, int64_t last) {
        if (page_) let_go(down(address(first), kAround) - kAround, down(address(last), kAround) - kAround);
    }

  private:
    static constexpr uintptr_t kAround = 1 << 21;
    static uintptr_t down(uintptr_t address, uintptr_t unit) { return address / unit * unit; }
    static uintptr_t up(uintptr_t address, uintptr_t unit) { return (address + unit - 1) / unit * unit; }
    uintptr_t address(int64_t element) const { return data_ + static_cast<uintptr_t>(element * item_); }
    void let_go(uintptr_t begin, uintptr_t end) {
        advise(std::max(begin, up(data_, page_)), std::min(end, down(data_ + bytes_, page_)), MADV_DONTNEED);
    }
    static void advise(uintptr_t begin, uintptr_t end, int advice) {
        if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, advice);
    }

    const uintptr_t data_, bytes_;
    const int64_t item_;
    uintptr_t page_ = 0;  // 0: not mapped
    bool random_ = false;
};

#else

class Pages {
  public:
    Pages(const void*, int64_t, int64_t, bool, bool = false) {}
    Pages(const Pages&) = delete;
    void need(int64_t, int64_t) {}
    void release(int64_t, int64_t) {}
    void pass(int64_t, int64_t) {}
};

#endif

}  // namespace steppe
