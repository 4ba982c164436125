// Memory of the stand-in driver: what is allocated, and whose it is.
#pragma once
#include <map>

#include "state.hpp"

namespace standin {

inline std::map<Pointer, size_t> live, pinned;
inline std::map<Pointer, void*> owners;  // the context in which an allocation was made

inline bool inside(const std::map<Pointer, size_t>& spans, Pointer p, size_t n) {
    auto next = spans.upper_bound(p);
    if (next == spans.begin()) return false;
    auto span = std::prev(next);
    return p + n <= span->first + span->second;
}
// The context that owns the allocation around an address; none where there is no allocation.
inline void* owner_of(Pointer p) { return inside(live, p, 1) ? std::prev(owners.upper_bound(p))->second : nullptr; }

size_t limit();              // of all memory, in bytes
bool take_module(size_t n);  // room for the code of a module

}  // namespace standin
