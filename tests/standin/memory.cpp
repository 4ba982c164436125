// Memory: STANDIN_MEMORY bytes; what does not fit is refused with OUT_OF_MEMORY. Allocations are rounded up to
// STANDIN_PAGE bytes, a module takes STANDIN_MODULE, other processes what the file STANDIN_OTHERS says, and host memory
// can be pinned up to STANDIN_PINNED. Fresh memory is full of rubbish. Copies must lie in live allocations, when they
// are asked for and when they run.
#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "captures.hpp"
#include "streams.hpp"

namespace standin {
namespace {
const size_t page = number("STANDIN_PAGE", "1");
size_t rounded(size_t n) { return (n + page - 1) / page * page; }
size_t large, small, pinned_bytes;
// Allocators give out whole pages: large arrays have their own, small ones share.
size_t used() { return large + rounded(small); }
size_t& kind_of(size_t n) { return n < page / 2 ? small : large; }
size_t cost(size_t n) { return n < page / 2 ? n : rounded(n); }
size_t others() {  // what other processes have taken: the number in a file, which a test may change at any time
    size_t bytes = 0;
    if (const char* path = getenv("STANDIN_OTHERS")) std::ifstream(path) >> bytes;
    return bytes;
}
size_t left() { return std::max(limit(), used() + others()) - used() - others(); }
void* address(Pointer p) { return reinterpret_cast<void*>(p); }

// An operation on device memory, which must still be there when it runs.
Operation on(Pointer p, size_t n, std::function<void()> work) {
    return [=] { return inside(live, p, n) ? (work(), OK) : ILLEGAL_ADDRESS; };
}
}  // namespace

size_t limit() { return strtoull(setting("STANDIN_MEMORY", "1073741824"), nullptr, 10); }
bool take_module(size_t n) { return rounded(n) <= left() && (large += rounded(n), true); }

}  // namespace standin
using namespace standin;

API cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
    IN_CONTEXT;
    return *total = limit(), *free_bytes = left(), OK;
}
API cuMemAlloc_v2(Pointer* p, size_t n) {
    IN_CONTEXT;
    UNSAFE;
    if (n == 0) return INVALID_VALUE;
    kind_of(n) += cost(n);
    if (used() + others() > limit()) return kind_of(n) -= cost(n), OUT_OF_MEMORY;
    void* memory = aligned_alloc(256, (n + 255) / 256 * 256);
    memset(memory, 0xcd, n);
    *p = reinterpret_cast<Pointer>(memory);
    live[*p] = n;
    owners[*p] = entered.back();
    note("alloc " + std::to_string(n));
    return OK;
}
API cuMemFree_v2(Pointer p) {
    IN_CONTEXT;
    UNSAFE;
    drain_all();
    auto found = live.find(p);
    if (found == live.end()) return INVALID_VALUE;
    kind_of(found->second) -= cost(found->second);
    memset(address(p), 0xdd, found->second);
    free(address(p));
    live.erase(found);
    owners.erase(p);
    return sticky;
}
API cuMemHostAlloc(void** p, size_t n, unsigned) {
    IN_CONTEXT;
    UNSAFE;
    static const size_t most = number("STANDIN_PINNED", "134217728");
    if (pinned_bytes + n > most) return OUT_OF_MEMORY;
    *p = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
    pinned[reinterpret_cast<Pointer>(*p)] = n;
    pinned_bytes += n;
    note("pin " + std::to_string(pinned_bytes));
    return OK;
}
API cuMemFreeHost(void* p) {
    IN_CONTEXT;
    UNSAFE;
    drain_all();
    auto found = pinned.find(reinterpret_cast<Pointer>(p));
    if (found == pinned.end()) return INVALID_VALUE;
    pinned_bytes -= found->second;
    pinned.erase(found);
    free(p);
    return OK;
}
API cuPointerGetAttribute(void* value, int attribute, Pointer p) {
    LOCKED;
    void* owner = owner_of(p);
    if (attribute != 9 || !owner) return INVALID_VALUE;  // 9: the number of the device
    return *static_cast<int*>(value) = device_of(owner), OK;
}
API cuMemcpyHtoDAsync_v2(Pointer target, const void* source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, target, n)) return INVALID_VALUE;
    const auto from = reinterpret_cast<Pointer>(source);
    const bool is_pinned = inside(pinned, from, n);
    if (is_pinned)
        note("copy from pinned " + std::to_string(std::prev(pinned.upper_bound(from))->first) + " " +
             std::to_string(n) + " stream " + std::to_string(number_of(stream)));
    else note("copy to device " + std::to_string(n));
    if (is_pinned || static_cast<Stream*>(stream)->capture)  // read when the copy runs, as a real one is
        return enqueue(stream, on(target, n, [=] { memcpy(address(target), source, n); }));
    std::string kept(static_cast<const char*>(source), n);  // a driver takes pageable memory before it returns
    return enqueue(stream, on(target, n, [=] { memcpy(address(target), kept.data(), n); }));
}
API cuMemcpyDtoHAsync_v2(void* target, Pointer source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, source, n)) return INVALID_VALUE;
    const auto above = pinned.upper_bound(reinterpret_cast<Pointer>(target));
    note(inside(pinned, reinterpret_cast<Pointer>(target), n)
             ? "copy to pinned " + std::to_string(std::prev(above)->first) + " " + std::to_string(n)
             : "copy to host " + std::to_string(n));
    return enqueue(stream, on(source, n, [=] { memcpy(target, address(source), n); }));
}
API cuMemcpyDtoDAsync_v2(Pointer target, Pointer source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, source, n) || !inside(live, target, n)) return INVALID_VALUE;
    return enqueue(stream, on(source, n, [=] { memmove(address(target), address(source), n); }));
}
API cuMemsetD8Async(Pointer p, unsigned char value, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, p, n)) return INVALID_VALUE;
    return enqueue(stream, on(p, n, [=] { memset(address(p), value, n); }));
}
API cuMemsetD32Async(Pointer p, unsigned value, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, p, 4 * n) || p % 4) return INVALID_VALUE;
    return enqueue(stream, on(p, 4 * n, [=] { std::fill_n(static_cast<unsigned*>(address(p)), n, value); }));
}
