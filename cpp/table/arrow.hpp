// Arrow: a table of any library, as the Arrow C stream interface passes it: three plain structs, no library needed.
// The layout of the structs is the interface (arrow.apache.org/docs/format/CDataInterface.html); buffers stay where
// they are, and belong to their producer until release() is called.
#pragma once
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/watch.hpp"

namespace steppe::table {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// Calls release() in the end, once.
template <class T>
class Owned : public T {
  public:
    Owned() : T{} {}
    explicit Owned(T& other) : T(other) { other.release = nullptr; }
    Owned(Owned&& other) noexcept : T(other) { other.release = nullptr; }
    Owned& operator=(Owned&& other) noexcept {
        std::swap(static_cast<T&>(*this), static_cast<T&>(other));
        return *this;
    }
    ~Owned() {
        if (this->release) this->release(this);
    }
};

// A stretch of one column. `offset`: where it begins in the buffers of `array`.
struct Chunk {
    const ArrowArray* array;
    int64_t offset, length;

    bool is_missing(int64_t i) const {
        const auto* bits = static_cast<const uint8_t*>(array->n_buffers ? array->buffers[0] : nullptr);
        return bits && !(bits[(offset + i) >> 3] >> ((offset + i) & 7) & 1);
    }
};

struct Column {
    std::string name;
    std::string format;  // of the values, see the interface's list
    std::string index;   // of the indices, where they lie in a dictionary
    std::vector<Chunk> chunks;
};

// A table whose columns are read in chunks. A stream of a single column is a table of one, without a name.
class Table {
  public:
    // Takes the stream, and reads it to its end. `watch` is polled between two chunks.
    Table(ArrowArrayStream& stream, Watch& watch) {
        Owned<ArrowArrayStream> source(stream);
        Owned<ArrowSchema> schema;
        check(source, source.get_schema(&source, &schema));
        const bool many = std::string_view(schema.format) == "+s";
        const int64_t count = many ? schema.n_children : 1;
        for (int64_t c = 0; c < count; ++c) {
            const ArrowSchema& field = many ? *schema.children[c] : schema;
            const ArrowSchema& values = field.dictionary ? *field.dictionary : field;
            columns_.push_back({field.name ? field.name : "", values.format, field.dictionary ? field.format : "", {}});
        }
        for (;;) {
            Owned<ArrowArray> batch;
            check(source, source.get_next(&source, &batch));
            if (!batch.release) break;
            if (many && batch.n_children != count) throw std::invalid_argument("a batch has other columns");
            batches_.push_back(std::move(batch));
            if (watch.poll(rows_)) break;
            const ArrowArray& kept = batches_.back();
            for (int64_t c = 0; c < count; ++c) {
                const ArrowArray* array = many ? kept.children[c] : &kept;
                const int64_t offset = array->offset + (many ? kept.offset : 0);
                if (kept.length) columns_[c].chunks.push_back({array, offset, kept.length});
            }
            rows_ += kept.length;
        }
        watch.check();
    }

    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    int64_t rows() const { return rows_; }
    const std::vector<Column>& columns() const { return columns_; }
    const Column& column(int64_t c) const { return columns_.at(static_cast<size_t>(c)); }

  private:
    static void check(ArrowArrayStream& stream, int code) {
        if (!code) return;
        const char* message = stream.get_last_error ? stream.get_last_error(&stream) : nullptr;
        throw std::runtime_error(message ? message : "the table could not be read");
    }

    std::deque<Owned<ArrowArray>> batches_;  // a deque, because chunks point to them
    std::vector<Column> columns_;
    int64_t rows_ = 0;
};

}  // namespace steppe::table
