// Bindings of table/arrow.hpp, table/names.hpp and text/columns.hpp.
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/arrays.hpp"
#include "table/names.hpp"
#include "text/columns.hpp"

namespace steppe::bindings {

namespace {

// Strings of NumPy's, all of one width, as rows of bytes.
using Bytes = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu, nb::ndim<2>>;

// A column of strings, and what keeps its buffers.
struct Names {
    Names(nb::object table, const table::Column& column) : keeps(std::move(table)), strings(column) {}
    explicit Names(const Bytes& array)
        : bytes(array),
          strings(reinterpret_cast<const char*>(array.data()), static_cast<int64_t>(array.shape(0)),
                  static_cast<int64_t>(array.shape(1))) {}

    Names(nb::object text, const Buffer<std::string_view>& spans)
        : keeps(std::move(text)), strings(spans.data(), static_cast<int64_t>(spans.size())) {}

    const nb::object keeps;
    const Bytes bytes;
    const table::StringColumn strings;
};

// The values of one chunk as an array of T, without a copy; `owner` keeps them.
template <class T>
nb::object view(const table::Chunk& chunk, nb::handle owner) {
    const auto* data = static_cast<const T*>(chunk.array->buffers[1]) + chunk.offset;
    if (reinterpret_cast<uintptr_t>(data) % alignof(T)) throw std::invalid_argument("a buffer is not aligned");
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {static_cast<size_t>(chunk.length)}, owner),
                    nb::rv_policy::reference);
}

nb::object numbers(const table::Column& column, const table::Chunk& chunk, nb::handle owner) {
    if (column.index.empty() && column.format.size() == 1) switch (column.format[0]) {
            case 'c':
                return view<int8_t>(chunk, owner);
            case 'C':
                return view<uint8_t>(chunk, owner);
            case 's':
                return view<int16_t>(chunk, owner);
            case 'S':
                return view<uint16_t>(chunk, owner);
            case 'i':
                return view<int32_t>(chunk, owner);
            case 'I':
                return view<uint32_t>(chunk, owner);
            case 'l':
                return view<int64_t>(chunk, owner);
            case 'L':
                return view<uint64_t>(chunk, owner);
            case 'f':
                return view<float>(chunk, owner);
            case 'g':
                return view<double>(chunk, owner);
        }
    throw std::invalid_argument("no column of numbers");
}

// A table in text, and the text.
struct TextTable {
    TextTable(InOf<uint8_t> text, text::TableRules rules, int threads, Watch& watch)
        : bytes(text), table(pieces_of(text, threads, watch), std::move(rules), threads, watch) {}
    static text::Pieces pieces_of(const InOf<uint8_t>& text, int threads, Watch& watch) {
        const char* begin = reinterpret_cast<const char*>(text.data());
        return text::Pieces(begin, begin + text.size(), threads, watch);
    }
    const InOf<uint8_t> bytes;
    text::TextTable table;
};

text::Field field_of(char letter) {
    switch (letter) {
        case 'i':
            return text::Field::id;
        case 'n':
            return text::Field::name;
        case 'w':
            return text::Field::whole;
        case 'f':
            return text::Field::real;
        case '-':
            return text::Field::skipped;
    }
    throw std::invalid_argument("text_table: columns are i, n, w, f or -");
}

template <class T>
nb::object values(Buffer<T>& buffer, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(buffer.data(), {buffer.size()}, owner),
                    nb::rv_policy::reference);
}

}  // namespace

void bind_table(nb::module_& m) {
    nb::class_<Names>(m, "Names").def(nb::init<Bytes>(), "bytes"_a).def_prop_ro("rows", [](const Names& n) {
        return n.strings.length();
    });

    // The names in these rows, those of `b` counted after those of `a`.
    m.def(
        "take_names",
        [](const Names& a, const Names& b, InOf<int64_t> rows) {
            const int64_t first = a.strings.length(), count = static_cast<int64_t>(rows.size());
            constexpr int64_t kBatch = 32;  // names that are looked up before one is read: their cache misses overlap
            std::string_view names[kBatch];
            nb::list list;
            for (int64_t i = 0; i < count; i += kBatch) {
                const int64_t end = std::min(count, i + kBatch);
                for (int64_t k = i; k < end; ++k) {
                    const int64_t row = rows.data()[k];
                    if (row < 0 || row >= first + b.strings.length()) throw std::out_of_range("no such row");
                    names[k - i] = row < first ? a.strings.at(row) : b.strings.at(row - first);
                    STEPPE_PREFETCH(names[k - i].data());
                }
                for (int64_t k = i; k < end; ++k) {
                    const std::string_view name = names[k - i];
                    PyObject* text = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
                    if (!text) throw nb::python_error();
                    list.append(nb::steal(text));
                }
            }
            return list;
        },
        "a"_a, "b"_a, "rows"_a);

    nb::class_<table::Table>(m, "Table")
        // stream: a capsule of the Arrow C stream interface, which is used up.
        .def(
            "__init__",
            [](table::Table* self, nb::object stream) {
                auto* source =
                    static_cast<table::ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), "arrow_array_stream"));
                if (!source) throw nb::python_error();
                if (!source->release) throw std::invalid_argument("the stream was read before");
                // With the GIL: a stream may be made of Python objects.
                Watch watch([](int64_t) { return PyErr_CheckSignals() != 0; });
                try {
                    new (self) table::Table(*source, watch);
                } catch (const Interrupted&) { throw nb::python_error(); }
            },
            "stream"_a)
        .def_prop_ro("rows", &table::Table::rows)
        .def_prop_ro("names",
                     [](const table::Table& t) {
                         std::vector<std::string> names;
                         for (const table::Column& column : t.columns()) names.push_back(column.name);
                         return names;
                     })
        // Whether a column's values lie in a dictionary.
        .def(
            "is_indexed", [](const table::Table& t, int64_t c) { return !t.column(c).index.empty(); }, "column"_a)
        // The format of a column's values in the interface's words.
        .def(
            "format", [](const table::Table& t, int64_t c) { return t.column(c).format; }, "column"_a)
        .def(
            "numbers",
            [](nb::handle_t<table::Table> self, int64_t c) {
                const table::Column& column = nb::cast<const table::Table&>(self).column(c);
                nb::list chunks;
                for (const table::Chunk& chunk : column.chunks) chunks.append(numbers(column, chunk, self));
                return chunks;
            },
            "column"_a)
        // Bits of booleans, or of what is missing, as bytes. False: none is missing.
        .def(
            "bits",
            [](const table::Table& t, int64_t c, bool missing, OutOf<uint8_t> to) {
                same_size(to.size(), static_cast<size_t>(t.rows()), "bits");
                uint8_t* next = to.data();
                bool any = false;
                for (const table::Chunk& chunk : t.column(c).chunks) {
                    const auto* bits = static_cast<const uint8_t*>(chunk.array->buffers[missing ? 0 : 1]);
                    if (missing && (!bits || chunk.array->null_count == 0)) {
                        std::fill(next, next + chunk.length, uint8_t{0});
                        next += chunk.length;
                        continue;
                    }
                    for (int64_t i = chunk.offset; i < chunk.offset + chunk.length; ++i) {
                        *next = static_cast<uint8_t>((bits[i >> 3] >> (i & 7) & 1) ^ missing);
                        any |= *next++;
                    }
                }
                return any;
            },
            "column"_a, "missing"_a, "to"_a)
        .def(
            "has_missing",
            [](const table::Table& t, int64_t c) {
                for (const table::Chunk& chunk : t.column(c).chunks)
                    if (chunk.array->null_count != 0 && chunk.array->n_buffers && chunk.array->buffers[0]) return true;
                return false;
            },
            "column"_a)
        .def(
            "strings",
            [](nb::handle_t<table::Table> self, int64_t c) {
                const table::Column& column = nb::cast<const table::Table&>(self).column(c);
                return std::make_unique<Names>(nb::borrow(self), column);
            },
            "column"_a);

    // columns: one letter for each of the file: i(d), n(ame), w(hole number, or a float if need be), f(loat), -
    // (skipped).
    nb::class_<TextTable>(m, "TextTable")
        .def(
            "__init__",
            [](TextTable* self, InOf<uint8_t> text, const std::string& columns, const std::string& part,
               const std::string& decimal, bool missing, int threads) {
                text::TableRules rules;
                for (const char letter : columns) rules.fields.push_back(field_of(letter));
                if (rules.fields.empty()) throw std::invalid_argument("text_table: no columns");
                rules.part = part.at(0);
                rules.decimal = decimal.at(0);
                rules.missing = missing;
                rules.ragged = "expected " + std::to_string(columns.size()) + " columns";
                without_gil([&](Watch& watch) { return new (self) TextTable(text, std::move(rules), threads, watch); });
            },
            "text"_a, "columns"_a, "part"_a, "decimal"_a, "missing"_a, "threads"_a)
        .def_prop_ro("rows", [](const TextTable& t) { return t.table.rows(); })
        // None, or: what was expected, whether an id is out of range, the offset, and the line counted from 0.
        .def_prop_ro("fault",
                     [](const TextTable& t) -> nb::object {
                         const text::LineFault& fault = t.table.fault();
                         if (fault.trouble == text::Trouble::none) return nb::none();
                         return nb::make_tuple(fault.what, fault.trouble == text::Trouble::range, fault.offset,
                                               fault.line);
                     })
        .def(
            "names",
            [](nb::handle_t<TextTable> self, size_t c) {
                return std::make_unique<Names>(nb::borrow(self), nb::cast<const TextTable&>(self).table.names(c));
            },
            "column"_a)
        .def(
            "numbers",
            [](nb::handle_t<TextTable> self, size_t c) {
                text::TextTable& table = nb::cast<TextTable&>(self).table;
                return table.rules().fields.at(c) == text::Field::real ? values(table.reals(c), self)
                                                                       : values(table.wholes(c), self);
            },
            "column"_a)
        .def(
            "missing",
            [](nb::handle_t<TextTable> self, size_t c) {
                return values(nb::cast<TextTable&>(self).table.missing(c), self);
            },
            "column"_a);

    // Writes the vertices of both columns' names, int32 or int64, -1 where one is missing. Returns a row for each
    // vertex.
    m.def(
        "number_names",
        [](const Names& a, const Names& b, Out of_a, Out of_b, uint64_t key, int threads) {
            same_size(of_a.size(), static_cast<size_t>(a.strings.length()), "number_names");
            same_size(of_b.size(), static_cast<size_t>(b.strings.length()), "number_names");
            auto rows = std::make_unique<std::vector<int64_t>>(with_vertex(of_a, [&](auto vertex) {
                using V = decltype(vertex);
                V* to_a = out<V>(of_a);
                V* to_b = out<V>(of_b);
                return without_gil([&](Watch& watch) {
                    return table::number_names<V>(a.strings, b.strings, to_a, to_b, key, threads, watch);
                });
            }));
            int64_t* data = rows->data();
            const size_t size = rows->size();
            nb::capsule owner(rows.release(), [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
            return nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>(data, {size}, owner);
        },
        "a"_a, "b"_a, "of_a"_a, "of_b"_a, "key"_a, "threads"_a);
}

}  // namespace steppe::bindings
