// Strings: a column of them in any of Arrow's layouts, in a dictionary or not; or of fixed width, or that lie anywhere.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/arrow.hpp"

namespace steppe::table {

enum class Layout { offsets32, offsets64, views, fixed, spans };

// A stretch of strings in one of their layouts; in a dictionary, through numbers.
struct Strings {
    Chunk chunk{};
    Layout layout = Layout::fixed;
    const char* fixed = nullptr;  // strings of `width` bytes each
    int64_t width = 0;
    const std::string_view* spans = nullptr;  // strings that lie anywhere; one without data is missing
    std::string index;                        // format of the dictionary's indices, or nothing
    const Strings* values = nullptr;          // the dictionary's entries

    int64_t length() const { return chunk.length; }
    bool is_missing(int64_t i) const {
        if (!chunk.array) return spans && !spans[i].data();
        return chunk.is_missing(i) || (values && values->is_missing(entry(i)));
    }
    std::string_view at(int64_t i) const {
        if (values) return values->at(entry(i));
        if (layout == Layout::spans) return spans[i];
        if (layout == Layout::fixed) return {fixed + i * width, static_cast<size_t>(width)};
        const void* const* buffers = chunk.array->buffers;
        i += chunk.offset;
        const auto* data = static_cast<const char*>(chunk.array->n_buffers > 2 ? buffers[2] : nullptr);
        if (layout == Layout::offsets32) return between(static_cast<const int32_t*>(buffers[1]), data, i);
        if (layout == Layout::offsets64) return between(static_cast<const int64_t*>(buffers[1]), data, i);
        // Views: 16 bytes each; up to twelve characters lie in them, else the number of a buffer and the place there.
        const char* view = static_cast<const char*>(buffers[1]) + 16 * i;
        int32_t parts[4];
        std::memcpy(parts, view, 16);
        if (parts[0] <= 12) return {view + 4, static_cast<size_t>(parts[0])};
        return {static_cast<const char*>(buffers[2 + parts[2]]) + parts[3], static_cast<size_t>(parts[0])};
    }

    // The entry of the dictionary that string i is.
    int64_t entry(int64_t i) const {
        const void* data = chunk.array->buffers[1];
        i += chunk.offset;
        switch (index[0]) {
            case 'c':
                return static_cast<const int8_t*>(data)[i];
            case 'C':
                return static_cast<const uint8_t*>(data)[i];
            case 's':
                return static_cast<const int16_t*>(data)[i];
            case 'S':
                return static_cast<const uint16_t*>(data)[i];
            case 'i':
                return static_cast<const int32_t*>(data)[i];
            case 'I':
                return static_cast<const uint32_t*>(data)[i];
            default:
                return static_cast<const int64_t*>(data)[i];  // l, and L as far as a table can be long
        }
    }
    // Whether two dictionaries are one: batches of a table share theirs.
    bool is_same(const Strings& other) const {
        const ArrowArray &one = *chunk.array, &two = *other.chunk.array;
        return chunk.offset == other.chunk.offset && length() == other.length() && layout == other.layout &&
               one.n_buffers == two.n_buffers && std::equal(one.buffers, one.buffers + one.n_buffers, two.buffers);
    }

  private:
    template <class O>
    static std::string_view between(const O* offsets, const char* data, int64_t i) {
        return {data + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
    }
};

inline bool layout_of(const std::string& format, Layout& layout) {
    if (format == "u" || format == "z") layout = Layout::offsets32;
    else if (format == "U" || format == "Z") layout = Layout::offsets64;
    else if (format == "vu" || format == "vz") layout = Layout::views;
    else return false;
    return true;
}

// The strings of a column, chunk by chunk. Points into itself: it stays where it was made.
class StringColumn {
  public:
    explicit StringColumn(const Column& column) {
        Layout layout;
        if (!layout_of(column.format, layout)) throw std::invalid_argument("no column of strings");
        dictionaries_.reserve(column.chunks.size());
        for (const Chunk& chunk : column.chunks) {
            Strings strings{.chunk = chunk, .layout = layout};
            if (!column.index.empty()) {
                if (column.index.size() != 1 || !std::strchr("cCsSiIlL", column.index[0]))
                    throw std::invalid_argument("a dictionary of another kind");
                const ArrowArray* values = chunk.array->dictionary;
                dictionaries_.push_back({.chunk = {values, values->offset, values->length}, .layout = layout});
                strings.index = column.index;
                strings.values = &dictionaries_.back();
            }
            add(std::move(strings));
        }
    }
    StringColumn(const char* data, int64_t count, int64_t width) {
        Strings strings{.layout = Layout::fixed, .fixed = data, .width = width};
        strings.chunk.length = count;
        add(std::move(strings));
    }
    StringColumn(const std::string_view* spans, int64_t count) {
        Strings strings{.layout = Layout::spans, .spans = spans};
        strings.chunk.length = count;
        add(std::move(strings));
    }
    StringColumn(const StringColumn&) = delete;
    StringColumn& operator=(const StringColumn&) = delete;

    int64_t length() const { return first_.back(); }

    // f(strings, i, row) for the rows [begin, end): i is the row's number in its chunk.
    template <class F>
    void each(int64_t begin, int64_t end, F f) const {
        size_t c = std::upper_bound(first_.begin(), first_.end(), begin) - first_.begin() - 1;
        for (int64_t row = begin; row < end; ++c)
            for (const int64_t last = std::min(end, first_[c + 1]); row < last; ++row)
                f(chunks_[c], row - first_[c], row);
    }
    std::string_view at(int64_t row) const {
        const size_t c = std::upper_bound(first_.begin(), first_.end(), row) - first_.begin() - 1;
        return chunks_[c].at(row - first_[c]);
    }

  private:
    void add(Strings strings) {
        first_.push_back(first_.back() + strings.length());
        chunks_.push_back(std::move(strings));
    }
    std::vector<Strings> chunks_, dictionaries_;
    std::vector<int64_t> first_{0};
};

}  // namespace steppe::table
