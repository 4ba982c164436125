// Preloaded (LD_PRELOAD) by tests/faults/allocations.py: the n-th allocation that the native core makes fails.
//
// Allocations are told apart by who asks: the core's own code (_core), or the C++ library, which asks on its behalf
// (strings, and threads, of which the start counts too). Python's and NumPy's own never fail. The product itself has
// no hook.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

std::atomic<long> countdown{0};  // 0: nothing fails
std::atomic<long> fired{0}, seen{0};
std::atomic<bool> is_armed{false};

struct Range {
    uintptr_t begin = 0, end = 0;
    bool holds(void* address) const {
        const auto a = reinterpret_cast<uintptr_t>(address);
        return begin <= a && a < end;
    }
};
Range core, library;

int find(dl_phdr_info* info, size_t, void*) {
    Range* range = strstr(info->dlpi_name, "/_core.")         ? &core
                   : strstr(info->dlpi_name, "/libstdc++.so") ? &library
                                                              : nullptr;
    if (!range) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X)) {
            range->begin = info->dlpi_addr + part.p_vaddr;
            range->end = range->begin + part.p_memsz;
        }
    }
    return 0;
}

bool fails(void* caller, bool for_library) {
    if (!is_armed.load(std::memory_order_acquire)) return false;
    if (!core.holds(caller) && !(for_library && library.holds(caller))) return false;
    seen.fetch_add(1);
    if (countdown.load() <= 0 || countdown.fetch_sub(1) != 1) return false;
    fired.fetch_add(1);
    return true;
}

void* make(size_t size, size_t alignment, void* caller) {
    if (fails(caller, true)) throw std::bad_alloc();
    void* memory = alignment ? __libc_memalign(alignment, size) : __libc_malloc(size ? size : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}

}  // namespace

#define HERE __builtin_return_address(0)

extern "C" {
// Fails the n-th allocation from now on; 0 only counts. False where there is no core to watch.
int faults_arm(long n) {
    dl_iterate_phdr(find, nullptr);
    countdown = n;
    fired = seen = 0;
    is_armed.store(core.begin != 0, std::memory_order_release);
    return core.begin != 0;
}
long faults_disarm(void) {
    is_armed = false;
    return fired;
}
long faults_seen(void) { return seen; }

void* malloc(size_t size) { return fails(HERE, false) ? (errno = ENOMEM, nullptr) : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails(HERE, false) ? (errno = ENOMEM, nullptr) : __libc_calloc(n, size); }
void* realloc(void* p, size_t size) { return fails(HERE, false) ? (errno = ENOMEM, nullptr) : __libc_realloc(p, size); }
void* aligned_alloc(size_t alignment, size_t size) {
    return fails(HERE, false) ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, size_t alignment, size_t size) {
    if (fails(HERE, false)) return ENOMEM;
    void* memory = __libc_memalign(alignment, size);
    return memory ? (*to = memory, 0) : ENOMEM;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* options, void* (*start)(void*), void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    return fails(HERE, true) ? EAGAIN : create(thread, options, start, argument);
}
}

void* operator new(size_t size) { return make(size, 0, HERE); }
void* operator new[](size_t size) { return make(size, 0, HERE); }
void* operator new(size_t size, std::align_val_t a) { return make(size, static_cast<size_t>(a), HERE); }
void* operator new[](size_t size, std::align_val_t a) { return make(size, static_cast<size_t>(a), HERE); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return fails(HERE, true) ? nullptr : __libc_malloc(size ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
    return fails(HERE, true) ? nullptr : __libc_malloc(size ? size : 1);
}
