// Adjacency: rows from a graph that is dictionaries of dictionaries, as NetworkX keeps it: {u: {v: {"weight": w}}}, or
// {u: {v: {key: {"weight": w}}}} where edges have keys. There is no algorithm here and nothing to run without the GIL:
// every edge is an object of Python's. Read natively, an edge costs three look-ups instead of some fifty bytecodes.
//
// Weights are kept as int64 until one is a float; from then on as doubles, in which every int64 so far must be exact.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bindings/vectors.hpp"

namespace steppe::bindings {

namespace {

class Weights {
  public:
    void add(PyObject* value) {
        if (PyFloat_Check(value)) return add(PyFloat_AsDouble(value));
        if (PyLong_Check(value) || PyIndex_Check(value)) {
            const nb::object number = nb::steal(PyNumber_Index(value));
            if (!number.is_valid()) throw nb::python_error();
            int overflow = 0;
            const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
            if (whole == -1 && PyErr_Occurred()) throw nb::python_error();
            if (overflow) refuse(value, "does not fit in 64 bits");
            return add(whole, value);
        }
        // A scalar of NumPy's, and not a Decimal or a Fraction, which would be rounded.
        if (!PyObject_HasAttrString(value, "dtype")) refuse(value, "is no number of 64 bits");
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) throw nb::python_error();
        add(number);
    }
    nb::object take() { return real_ ? to_numpy(std::move(reals_)) : to_numpy(std::move(wholes_)); }

  private:
    void add(double value) {
        if (!real_) {
            real_ = true;
            reals_.reserve(wholes_.capacity());
            for (const int64_t whole : wholes_) reals_.push_back(static_cast<double>(whole));
            wholes_.clear();
            if (inexact_) refuse(inexact_.ptr(), "stands among floats, in which it is not exact");
        }
        reals_.push_back(value);
    }
    void add(long long value, PyObject* object) {
        constexpr int64_t kExact = int64_t{1} << 53;
        if (value > kExact || value < -kExact) {
            if (real_) refuse(object, "stands among floats, in which it is not exact");
            inexact_ = nb::borrow(object);
        }
        if (real_) reals_.push_back(static_cast<double>(value));
        else wholes_.push_back(value);
    }
    [[noreturn]] static void refuse(PyObject* value, const char* why) {
        PyErr_Format(PyExc_TypeError, "the weight %R %s", value, why);
        throw nb::python_error();
    }

    bool real_ = false;
    nb::object inexact_;  // a whole number that no double is equal to, if there was one
    std::vector<int64_t> wholes_;
    std::vector<double> reals_;
};

class Reader {
  public:
    // place: {node: its number}; None where the nodes are the numbers 0…n-1 themselves.
    Reader(nb::object place, nb::object attribute, nb::object missing, bool has_keys, int64_t n)
        : place_(std::move(place)),
          attribute_(std::move(attribute)),
          missing_(std::move(missing)),
          has_keys_(has_keys),
          n_(n) {}

    void read_row(PyObject* row) {
        if (!PyDict_Check(row)) throw std::invalid_argument("a row must be a dict");
        Py_ssize_t at = 0;
        PyObject *key = nullptr, *value = nullptr;
        while (PyDict_Next(row, &at, &key, &value)) {
            // Held: a label's __eq__ may be anything, and change the row.
            const nb::object target = nb::borrow(key), data = nb::borrow(value);
            add(number_of(target.ptr()), data.ptr());
            if ((++edges_ & 0xffff) == 0 && PyErr_CheckSignals()) throw nb::python_error();
        }
        offsets_.push_back(static_cast<int64_t>(targets_.size()));
    }
    nb::tuple take() {
        nb::object weights = attribute_.is_none() ? nb::none() : weights_.take();
        return nb::make_tuple(to_numpy(std::move(offsets_)), to_numpy(std::move(targets_)), std::move(weights),
                              hidden_);
    }

  private:
    int64_t number_of(PyObject* node) const {
        PyObject* number = node;
        if (!place_.is_none()) {
            number = PyDict_GetItemWithError(place_.ptr(), node);
            if (!number) {
                if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, node);
                throw nb::python_error();
            }
        }
        const long long value = PyLong_AsLongLong(number);
        if (value == -1 && PyErr_Occurred()) throw nb::python_error();
        if (value < 0 || value >= n_) {
            PyErr_SetObject(PyExc_KeyError, node);
            throw nb::python_error();
        }
        return value;
    }
    // An edge whose weight is None is none: NetworkX hides it.
    void add(int64_t target, PyObject* data) {
        if (attribute_.is_none()) {
            targets_.push_back(target);
        } else if (!has_keys_) {
            add_edge(target, data);
        } else {
            if (!PyDict_Check(data)) throw std::invalid_argument("the edges of a pair must be a dict");
            Py_ssize_t at = 0;
            PyObject *key = nullptr, *value = nullptr;
            while (PyDict_Next(data, &at, &key, &value)) add_edge(target, value);
        }
    }
    void add_edge(int64_t target, PyObject* data) {
        if (!PyDict_Check(data)) throw std::invalid_argument("an edge's attributes must be a dict");
        PyObject* value = PyDict_GetItemWithError(data, attribute_.ptr());
        if (!value) {
            if (PyErr_Occurred()) throw nb::python_error();
            value = missing_.ptr();
        }
        const nb::object held = nb::borrow(value);
        if (held.is_none()) {
            ++hidden_;
            return;
        }
        weights_.add(held.ptr());
        targets_.push_back(target);
    }

    const nb::object place_, attribute_, missing_;
    const bool has_keys_;
    const int64_t n_;
    int64_t edges_ = 0, hidden_ = 0;
    std::vector<int64_t> offsets_{0};
    std::vector<int64_t> targets_;
    Weights weights_;
};

}  // namespace

void bind_adjacency(nb::module_& m) {
    // (offsets, targets, weights, edges hidden by a weight of None): of a list of dicts, a row each. Edges without the
    // attribute weigh `missing`; with has_keys a pair of vertices has several. Without an attribute there are no
    // weights, and one edge for a pair.
    m.def(
        "read_adjacency",
        [](nb::list rows, nb::object place, nb::object attribute, nb::object missing, bool has_keys) {
            Reader reader(std::move(place), std::move(attribute), std::move(missing), has_keys,
                          static_cast<int64_t>(rows.size()));
            for (size_t i = 0; i < rows.size(); ++i) {
                const nb::object row = rows[i];
                reader.read_row(row.ptr());
            }
            return reader.take();
        },
        "rows"_a, "place"_a.none(), "attribute"_a.none(), "missing"_a, "has_keys"_a);
}

}  // namespace steppe::bindings
