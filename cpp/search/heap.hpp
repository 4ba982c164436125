// Heap: a 4-ary min-heap of (key, vertex) with lazy deletion.
//
// There is no decrease-key: an improved vertex is pushed again, and an entry whose key is no longer the vertex's
// distance is dropped when it is popped. That costs a few stale entries and saves the position array, which would be
// one more cache miss per sift step. Four children share a cache line or two, so a sift reads half as many lines as in
// a binary heap.
//
// A 32-bit key and a 32-bit vertex are packed into one uint64 (key in the high half): one compare orders both, and ties
// break by the smaller vertex. Floats go in by their bits, which order like the numbers while no sign bit is set:
// keys must not be negative, nor -0.0. Wider keys or vertices are a struct, compared by key alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/halves.hpp"

namespace steppe::search {

namespace detail {

template <class D, class V>
struct PairEntry {
    D key;
    V vertex;
    static PairEntry make(D key, V vertex) { return {key, vertex}; }
    D get_key() const { return key; }
    V get_vertex() const { return vertex; }
    bool operator<(const PairEntry& other) const { return key < other.key; }
};

template <class D, class V>
struct PackedEntry {
    uint64_t word;
    static PackedEntry make(D key, V vertex) { return {join_halves(key, vertex)}; }
    D get_key() const { return first_half<D>(word); }
    V get_vertex() const { return second_half<V>(word); }
    bool operator<(const PackedEntry& other) const { return word < other.word; }
};

}  // namespace detail

template <class D, class V>
class Heap {
  public:
    bool empty() const { return items_.empty(); }
    void clear() { items_.clear(); }
    D top_key() const { return items_.front().get_key(); }
    V top_vertex() const { return items_.front().get_vertex(); }

    void push(D key, V vertex) {
        const Entry entry = Entry::make(key, vertex);
        size_t hole = items_.size();
        items_.push_back(entry);
        while (hole > 0) {
            const size_t parent = (hole - 1) / 4;
            if (!(entry < items_[parent])) break;
            items_[hole] = items_[parent];
            hole = parent;
        }
        items_[hole] = entry;
    }

    std::pair<D, V> pop() {
        const Entry top = items_.front();
        const Entry last = items_.back();
        items_.pop_back();
        const size_t count = items_.size();
        if (count > 0) {
            Entry* const items = items_.data();
            size_t hole = 0;
            for (;;) {
                const size_t child = 4 * hole + 1;
                size_t best = child;
                if (child + 4 <= count) {
                    // Two independent compares, then the final: shorter than a chain of three.
                    const size_t left = child + (items[child + 1] < items[child]);
                    const size_t right = child + 2 + (items[child + 3] < items[child + 2]);
                    best = items[right] < items[left] ? right : left;
                } else {
                    if (child >= count) break;
                    for (size_t next = child + 1; next < count; ++next)
                        if (items[next] < items[best]) best = next;
                }
                if (!(items[best] < last)) break;
                items[hole] = items[best];
                hole = best;
            }
            items[hole] = last;
        }
        return {top.get_key(), top.get_vertex()};
    }

  private:
    static constexpr bool kPacked = sizeof(D) == 4 && sizeof(V) == 4;
    using Entry = std::conditional_t<kPacked, detail::PackedEntry<D, V>, detail::PairEntry<D, V>>;
    static_assert(!kPacked || std::is_unsigned_v<D> || std::is_floating_point_v<D>,
                  "a packed key must order by its bits");
    std::vector<Entry> items_;
};

}  // namespace steppe::search
