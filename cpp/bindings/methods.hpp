// The methods are compiled once, in sssp.cpp, for everybody who searches with them (STEPPE_METHODS(extern template)).
#pragma once
#include <string>

#include "search/methods.hpp"

#define STEPPE_METHOD(KIND, V, W, D)                                                              \
    KIND Stats run<false, V, W, D>(Method, const rows::View<V, W>&, const Search<V, D>&, D*, V*); \
    KIND Stats run<true, V, W, D>(Method, const rows::View<V, W>&, const Search<V, D>&, D*, V*);
#define STEPPE_METHODS(KIND)                        \
    STEPPE_METHOD(KIND, int32_t, int32_t, uint32_t) \
    STEPPE_METHOD(KIND, int32_t, int32_t, uint64_t) \
    STEPPE_METHOD(KIND, int32_t, int64_t, uint64_t) \
    STEPPE_METHOD(KIND, int32_t, float, float)      \
    STEPPE_METHOD(KIND, int32_t, double, double)    \
    STEPPE_METHOD(KIND, int64_t, int32_t, uint32_t) \
    STEPPE_METHOD(KIND, int64_t, int32_t, uint64_t) \
    STEPPE_METHOD(KIND, int64_t, int64_t, uint64_t) \
    STEPPE_METHOD(KIND, int64_t, float, float)      \
    STEPPE_METHOD(KIND, int64_t, double, double)

namespace steppe::bindings {
search::Method method_named(const std::string& name);
}
