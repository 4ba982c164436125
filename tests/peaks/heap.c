// Preloaded (LD_PRELOAD) by tests/peaks/cases.py: counts the bytes on the heap, whoever asks for them (the core, NumPy,
// Python), and keeps the most that there were at once. The product itself has no hook.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

static atomic_long now, most;

static void* came(void* p) {
    if (p) {
        const long bytes = (long)malloc_usable_size(p);
        const long all = atomic_fetch_add(&now, bytes) + bytes;
        long before = atomic_load(&most);
        while (before < all && !atomic_compare_exchange_weak(&most, &before, all)) {
        }
    }
    return p;
}
static void goes(void* p) {
    if (p) atomic_fetch_sub(&now, (long)malloc_usable_size(p));
}

// From now on; gives what there is already.
long heap_begin(void) {
    atomic_store(&most, atomic_load(&now));
    return atomic_load(&now);
}
long heap_most(void) { return atomic_load(&most); }

void* malloc(size_t size) { return came(__libc_malloc(size)); }
void* calloc(size_t n, size_t size) { return came(__libc_calloc(n, size)); }
void* realloc(void* p, size_t size) {
    const long before = p ? (long)malloc_usable_size(p) : 0;
    void* moved = __libc_realloc(p, size);
    if (moved || !size) atomic_fetch_sub(&now, before);
    return came(moved);
}
void* memalign(size_t alignment, size_t size) { return came(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return came(__libc_memalign(alignment, size)); }
int posix_memalign(void** to, size_t alignment, size_t size) {
    void* memory = came(__libc_memalign(alignment, size));
    return memory ? (*to = memory, 0) : ENOMEM;
}
void free(void* p) {
    goes(p);
    __libc_free(p);
}
