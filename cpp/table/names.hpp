// Names: strings become vertices 0…n-1, by all threads at once.
//
// Every thread numbers the names of its share in a table of its own: one pass over the strings, no locks. What is
// different between the threads' tables is small; it is united by parts of the hash, a part a thread, and sorted by
// bytes (in UTF-8 that is the order of code points, Python's own), with the first eight bytes of each name at hand as a
// number. In the end every thread translates its numbers into ranks. So the result does not depend on the number of
// threads.
//
// The hash has a random key, so that nobody can make a file of names that all collide. An entry of a dictionary is
// hashed once by each thread, however many rows name it: a small file can name a long entry a million times.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "table/strings.hpp"

namespace steppe::table {

// A name that was seen, and where: the rows of the first column come before those of the second.
struct Seen {
    Seen(std::string_view name_, int64_t row_, uint64_t key) : name(name_), row(row_) {
        constexpr uint64_t kMix = 0x9e3779b97f4a7c15u;
        hash = key ^ name.size() * kMix;
        const char* p = name.data();
        size_t left = name.size();
        for (; left > 16; left -= 8, p += 8) mix(read(p, 8));
        // The last words stay: a short name is nothing else.
        words[0] = left ? read(p, std::min<size_t>(left, 8)) : 0;
        words[1] = left > 8 ? read(p + 8, left - 8) : 0;
        mix(words[0]);
        mix(words[1]);
        hash = (hash ^ key) * kMix;
    }

    // Its bytes, for a short name without a look into the table's buffers.
    const char* bytes() const { return name.size() <= 16 ? reinterpret_cast<const char*>(words) : name.data(); }

    std::string_view name;
    int64_t row;
    uint64_t hash;
    uint64_t words[2];

  private:
    static uint64_t read(const char* p, size_t bytes) {
        uint64_t word = 0;
        std::memcpy(&word, p, bytes);
        return word;
    }
    void mix(uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
};

// Numbers names in the order they come in. Open addressing, at most half full. A slot has the hash and the last sixteen
// bytes of its name, which is the whole of most: one cache line decides, and it is prefetched a batch ahead.
class NameTable {
  public:
    static constexpr int kBatch = 16;

    void prefetch(const Seen& one) const {
        if (slots_.size()) STEPPE_PREFETCH(&slots_[one.hash >> shift_]);
    }
    // Long names are compared where they lie, two steps further from their slots.
    void prefetch_names(const std::vector<Seen>& batch) const {
        if (!slots_.size()) return;
        for (const bool deep : {false, true})
            for (const Seen& one : batch) {
                const Slot& slot = slots_[one.hash >> shift_];
                if (one.name.size() <= 16 || slot.number < 0) continue;
                if (deep) STEPPE_PREFETCH(seen_[slot.number].name.data());
                else STEPPE_PREFETCH(&seen_[slot.number]);
            }
    }
    int64_t number(const Seen& one) {
        if (2 * (seen_.size() + 1) > slots_.size()) grow();
        const auto size = static_cast<uint32_t>(one.name.size());
        for (size_t i = one.hash >> shift_;; i = (i + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[i];
            if (slot.number < 0) {
                slot = {one.hash, {one.words[0], one.words[1]}, size, static_cast<int32_t>(seen_.size())};
                seen_.push_back(one);
                return slot.number;
            }
            if (slot.hash == one.hash && slot.size == size && slot.words[0] == one.words[0] &&
                slot.words[1] == one.words[1] && (size <= 16 || seen_[slot.number].name == one.name))
                return slot.number;
        }
    }
    const std::vector<Seen>& seen() const { return seen_; }

  private:
    struct Slot {
        uint64_t hash, words[2];
        uint32_t size;
        int32_t number;
    };
    void grow() {
        if (seen_.size() >= (size_t{1} << 30)) throw std::length_error("more than 2^30 different names");
        const size_t size = std::max<size_t>(1024, 4 * slots_.size());
        Buffer<Slot> old = std::move(slots_);
        slots_ = Buffer<Slot>(size, {0, {0, 0}, 0, -1});
        shift_ = 64 - std::countr_zero(size);
        for (const Slot& slot : old) {
            if (slot.number < 0) continue;
            size_t i = slot.hash >> shift_;
            while (slots_[i].number >= 0) i = (i + 1) & (size - 1);
            slots_[i] = slot;
        }
    }
    Buffer<Slot> slots_;
    std::vector<Seen> seen_;
    int shift_ = 54;
};

// The numbers that a table gave to entries of a dictionary. All are kept where the remaining rows are many enough for
// that; where the dictionary is far larger, only those of long names, whose hash takes time.
class Entries {
  public:
    // Numbers string i of a chunk with a dictionary; `rows`: how many are left in it.
    int64_t number(NameTable& table, const Strings& strings, int64_t i, int64_t row, int64_t rows, uint64_t key) {
        const Strings& values = *strings.values;
        if (!dictionary_ || !dictionary_->is_same(values)) {
            few_.clear();
            all_.assign(values.length() <= 8 * rows ? values.length() : 0, -1);
        }
        dictionary_ = &values;
        const int64_t entry = strings.entry(i);
        if (!all_.empty()) {
            int32_t& known = all_[entry];
            if (known < 0) known = static_cast<int32_t>(table.number({values.at(entry), row, key}));
            return known;
        }
        const std::string_view name = values.at(entry);
        if (name.size() <= kShort) return table.number({name, row, key});
        const auto [found, fresh] = few_.try_emplace(entry, 0);
        if (fresh) found->second = static_cast<int32_t>(table.number({name, row, key}));
        return found->second;
    }

  private:
    static constexpr size_t kShort = 64;
    const Strings* dictionary_ = nullptr;
    std::vector<int32_t> all_;
    std::unordered_map<int64_t, int32_t> few_;
};

// Sorts by all threads: stretches, then pairs of them are merged.
template <class T, class Less>
void sort_parallel(std::vector<T>& list, int threads, Watch& watch, Less less) {
    const auto n = static_cast<int64_t>(list.size());
    int64_t step = std::max<int64_t>((n + threads - 1) / threads, 1 << 14);
    parallel_for(threads, n, step, watch, [&](int64_t begin, int64_t end, int) {
        for (; begin < end; begin += step)
            std::sort(list.begin() + begin, list.begin() + std::min(end, begin + step), less);
    });
    for (; step < n; step *= 2)
        parallel_for(threads, n, 2 * step, watch, [&](int64_t begin, int64_t end, int) {
            for (; begin + step < end; begin += 2 * step)
                std::inplace_merge(list.begin() + begin, list.begin() + begin + step,
                                   list.begin() + std::min(end, begin + 2 * step), less);
        });
}

// Writes the vertex of each name of `a` and `b`, -1 where there is none. Returns, for every vertex, a row that it is
// the name of (those of `b` after those of `a`): in the order of the names' bytes.
template <class V>
std::vector<int64_t> number_names(const StringColumn& a, const StringColumn& b, V* of_a, V* of_b, uint64_t key,
                                  int threads, Watch& watch) {
    const int64_t m = a.length(), total = m + b.length();
    const int team = static_cast<int>(std::clamp<int64_t>(total >> 15, 1, threads));
    auto part = [&](int64_t t) { return total * t / team; };
    std::vector<NameTable> tables(team);
    parallel_for(team, team, 1, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t t = begin; t < end; ++t) {
            NameTable table;
            std::vector<Seen> batch;
            Entries entries;
            auto put = [&](const StringColumn& column, int64_t first, int64_t from, int64_t to, V* out) {
                auto flush = [&] {
                    table.prefetch_names(batch);
                    for (const Seen& one : batch) out[one.row - first] = static_cast<V>(table.number(one));
                    batch.clear();
                };
                column.each(from, to, [&](const Strings& strings, int64_t i, int64_t row) {
                    if ((row & 4095) == 0 && watch.poll()) return;
                    if (strings.is_missing(i)) {
                        out[row] = -1;
                        return;
                    }
                    if (strings.values) {
                        const int64_t left = std::min(to - row, strings.length() - i);
                        out[row] = static_cast<V>(entries.number(table, strings, i, first + row, left, key));
                        return;
                    }
                    batch.emplace_back(strings.at(i), first + row, key);
                    table.prefetch(batch.back());
                    if (batch.size() == NameTable::kBatch) flush();
                });
                flush();
            };
            if (part(t) < m) put(a, 0, part(t), std::min(m, part(t + 1)), of_a);
            if (part(t + 1) > m) put(b, m, std::max(m, part(t)) - m, part(t + 1) - m, of_b);
            tables[t] = std::move(table);
        }
    });
    // United by parts of the hash. place[t][k]: where the k-th name of thread t is in `united`.
    std::vector<std::vector<int64_t>> place(team);
    for (int t = 0; t < team; ++t) place[t].resize(tables[t].seen().size());
    std::vector<NameTable> parts(team);
    if (team == 1) {
        parts[0] = std::move(tables[0]);
        for (size_t k = 0; k < place[0].size(); ++k) place[0][k] = static_cast<int64_t>(k);
    } else {
        parallel_for(team, team, 1, watch, [&](int64_t begin, int64_t end, int) {
            for (int64_t p = begin; p < end; ++p) {
                NameTable table;
                for (int t = 0; t < team; ++t) {
                    const std::vector<Seen>& seen = tables[t].seen();
                    for (size_t k = 0; k < seen.size(); ++k) {
                        if (k + NameTable::kBatch < seen.size()) table.prefetch(seen[k + NameTable::kBatch]);
                        if (static_cast<int64_t>((seen[k].hash & 0xffff) * team >> 16) == p)
                            place[t][k] = table.number(seen[k]);
                    }
                }
                parts[p] = std::move(table);
            }
        });
    }
    std::vector<int64_t> first(team + 1, 0);
    for (int p = 0; p < team; ++p) first[p + 1] = first[p] + static_cast<int64_t>(parts[p].seen().size());
    std::vector<const Seen*> united;
    united.reserve(first[team]);
    for (const NameTable& names : parts)
        for (const Seen& one : names.seen()) united.push_back(&one);
    // The common prefix of all names does not distinguish them: heads begin after it.
    size_t same = united.empty() ? 0 : united[0]->name.size();
    for (const Seen* one : united) {
        same = std::min(same, one->name.size());
        same = std::mismatch(one->bytes(), one->bytes() + same, united[0]->bytes()).first - one->bytes();
    }
    struct Key {
        uint64_t head;  // eight bytes, as a number of the same order
        int64_t at;
    };
    std::vector<Key> keys(united.size());
    parallel_for(team, first[team], 1 << 12, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t k = begin; k < end; ++k) {
            uint64_t head = 0;
            for (size_t c = same; c < same + 8; ++c)
                head = head << 8 | (c < united[k]->name.size() ? static_cast<uint8_t>(united[k]->bytes()[c]) : 0);
            keys[k] = {head, k};
        }
    });
    sort_parallel(keys, team, watch, [&](const Key& x, const Key& y) {
        return x.head != y.head ? x.head < y.head : united[x.at]->name < united[y.at]->name;
    });
    std::vector<int64_t> rank(keys.size()), rows(keys.size());
    for (size_t k = 0; k < keys.size(); ++k)
        rank[keys[k].at] = static_cast<int64_t>(k), rows[k] = united[keys[k].at]->row;
    parallel_for(team, team, 1, watch, [&](int64_t begin, int64_t end, int) {
        for (int64_t t = begin; t < end; ++t) {
            std::vector<V> to(place[t].size());
            for (size_t k = 0; k < to.size(); ++k) {
                const int64_t p =
                    team == 1 ? 0 : static_cast<int64_t>((tables[t].seen()[k].hash & 0xffff) * team >> 16);
                to[k] = static_cast<V>(rank[first[p] + place[t][k]]);
            }
            auto translate = [&](V* out, int64_t from, int64_t end_row) {
                for (int64_t row = from; row < end_row; ++row)
                    if (out[row] >= 0) out[row] = to[out[row]];
            };
            if (part(t) < m) translate(of_a, part(t), std::min(m, part(t + 1)));
            if (part(t + 1) > m) translate(of_b, std::max(m, part(t)) - m, part(t + 1) - m);
        }
    });
    return rows;
}

}  // namespace steppe::table
