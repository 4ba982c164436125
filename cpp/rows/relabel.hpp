// Relabelling: ids that appear in a file, with gaps or from any start, become 0…n-1 in their order.
//
// When the ids lie close together (their range is at most 64 times the number of ends) every thread marks the ids it
// sees in a bitmap; the bitmaps are united, ones are counted up to each word, and an id's new number is the count
// before its word plus the ones below it in the word. Ids far apart go through a hash table instead: every thread
// collects the distinct ids of its share, these are united and sorted, and a table from id to rank translates.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace steppe::rows {

// A hash table from ids (not negative) to numbers: open addressing, at most half full.
class IdTable {
  public:
    explicit IdTable(int64_t expected) { reserve(expected); }

    // True when the id is new.
    bool insert(int64_t id, int64_t value) {
        if (2 * (size_ + 1) > static_cast<int64_t>(slots_.size())) reserve(2 * size_ + 2);
        Slot& slot = find(id);
        if (slot.id == id) return false;
        slot = {id, value};
        ++size_;
        return true;
    }
    int64_t at(int64_t id) { return find(id).value; }
    void prefetch(int64_t id) const {
#if defined(__GNUC__)
        __builtin_prefetch(&slots_[place(id)]);
#endif
    }

  private:
    struct Slot {
        int64_t id, value;
    };
    size_t place(int64_t id) const {
        return static_cast<size_t>(static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15u >> shift_);
    }
    Slot& find(int64_t id) {
        size_t i = place(id);
        while (slots_[i].id != id && slots_[i].id >= 0) i = (i + 1) & (slots_.size() - 1);
        return slots_[i];
    }
    void reserve(int64_t expected) {
        Buffer<Slot> old = std::move(slots_);
        const uint64_t size = std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(2 * expected, 64)));
        shift_ = 64 - std::countr_zero(size);
        slots_ = Buffer<Slot>(size, {-1, 0});
        for (const Slot& slot : old)
            if (slot.id >= 0) find(slot.id) = slot;
    }
    Buffer<Slot> slots_;
    int64_t size_ = 0;
    int shift_ = 0;
};

struct Relabelled {
    bool run = false;  // the labels are first, first + 1, …
    int64_t first = 0, count = 0;
    std::vector<int64_t> labels;  // unless run
};

// Renumbers u and v in place. `others` are ids that count as present too (a vertex file); all ids lie in [low, high],
// low >= 0.
template <class I>
Relabelled relabel(I* u, I* v, int64_t m, const int64_t* others, int64_t k, int64_t low, int64_t high, int threads,
                   Watch& watch) {
    Relabelled result;
    if (m + k == 0) {
        result.run = true;
        return result;
    }
    const int64_t grain = 1 << 16;
    constexpr int64_t kAhead = 12;  // edges between asking for a slot and using it: a cache miss
    int team = static_cast<int>(std::clamp<int64_t>(m / (4 * grain), 1, threads));
    auto begin = [&](int t) { return m * t / team; };
    auto rename = [&](auto&& to) {
        parallel_for(threads, m, grain, watch, [&](int64_t e, int64_t end, int) {
            for (; e < end; ++e) u[e] = static_cast<I>(to(u[e])), v[e] = static_cast<I>(to(v[e]));
        });
    };
    if ((high - low) / 64 <= 2 * m + k + 64) {
        const int64_t range = high - low + 1, words = (range + 63) / 64;
        // All bitmaps together stay in proportion to the edges, however many threads there are.
        team = static_cast<int>(std::clamp<int64_t>(4 * (2 * m + k) / words, 1, team));
        std::vector<std::vector<uint64_t>> maps(team);
        parallel_for(team, team, 1, watch, [&](int64_t t, int64_t, int) {
            std::vector<uint64_t> map(words, 0);
            auto mark = [&](int64_t id) { map[(id - low) >> 6] |= uint64_t{1} << ((id - low) & 63); };
            for (int64_t e = begin(static_cast<int>(t)); e < begin(static_cast<int>(t) + 1); ++e) {
                mark(u[e]), mark(v[e]);
                if (e % grain == 0 && watch.poll()) return;
            }
            if (t == 0) std::for_each(others, others + k, mark);
            maps[t] = std::move(map);
        });
        std::vector<uint64_t>& map = maps[0];
        std::vector<int64_t> before(words);
        for (int64_t i = 0; i < words; ++i) {
            for (int t = 1; t < team; ++t) map[i] |= maps[t][i];
            before[i] = result.count;
            result.count += std::popcount(map[i]);
        }
        if (result.count == range) {
            result.run = true;
            result.first = low;
            if (low) rename([&](int64_t id) { return id - low; });
            return result;
        }
        result.labels.reserve(result.count);
        for (int64_t i = 0; i < words; ++i)
            for (uint64_t word = map[i]; word; word &= word - 1)
                result.labels.push_back(low + i * 64 + std::countr_zero(word));
        rename([&](int64_t id) {
            const int64_t i = (id - low) >> 6;
            return before[i] + std::popcount(map[i] & ((uint64_t{1} << ((id - low) & 63)) - 1));
        });
        return result;
    }
    std::vector<std::vector<int64_t>> found(team);
    parallel_for(team, team, 1, watch, [&](int64_t t, int64_t, int) {
        IdTable table(1 << 10);
        std::vector<int64_t> ids;
        auto add = [&](int64_t id) {
            if (table.insert(id, 0)) ids.push_back(id);
        };
        const int64_t last = begin(static_cast<int>(t) + 1);
        for (int64_t e = begin(static_cast<int>(t)); e < last; ++e) {
            const int64_t ahead = std::min(e + kAhead, last - 1);
            table.prefetch(u[ahead]), table.prefetch(v[ahead]);
            add(u[e]), add(v[e]);
            if (e % grain == 0 && watch.poll()) return;
        }
        if (t == 0) std::for_each(others, others + k, add);
        std::sort(ids.begin(), ids.end());
        found[t] = std::move(ids);
    });
    for (std::vector<int64_t>& ids : found) {
        const auto middle = static_cast<int64_t>(result.labels.size());
        result.labels.insert(result.labels.end(), ids.begin(), ids.end());
        std::inplace_merge(result.labels.begin(), result.labels.begin() + middle, result.labels.end());
    }
    result.labels.erase(std::unique(result.labels.begin(), result.labels.end()), result.labels.end());
    result.count = static_cast<int64_t>(result.labels.size());
    IdTable table(result.count);
    for (int64_t i = 0; i < result.count; ++i) table.insert(result.labels[i], i);
    parallel_for(threads, m, grain, watch, [&](int64_t e, int64_t end, int) {
        for (; e < end; ++e) {
            const int64_t ahead = std::min(e + kAhead, end - 1);
            table.prefetch(u[ahead]), table.prefetch(v[ahead]);
            u[e] = static_cast<I>(table.at(u[e])), v[e] = static_cast<I>(table.at(v[e]));
        }
    });
    return result;
}

}  // namespace steppe::rows
