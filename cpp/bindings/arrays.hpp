// Shared by the bindings: NumPy arrays as spans, dispatch on dtype, and the Watch that speaks to Python.
// Arrays arrive here already checked for kind and range by the Python side; what is checked here is what would crash.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "base/guard.hpp"
#include "base/watch.hpp"
#include "bindings/calls.hpp"

namespace steppe::bindings {

namespace nb = nanobind;
using namespace nb::literals;

using In = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu, nb::ndim<1>>;
using Out = nb::ndarray<nb::c_contig, nb::device::cpu, nb::ndim<1>>;
template <class T>
using InOf = nb::ndarray<const T, nb::c_contig, nb::device::cpu, nb::ndim<1>>;
template <class T>
using OutOf = nb::ndarray<T, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

template <class T, class A>
const T* in(const A& array) {
    return static_cast<const T*>(array.data());
}
template <class T, class A>
T* out(A& array) {
    if (array.dtype() != nb::dtype<T>()) throw std::invalid_argument("an output array has the wrong dtype");
    return static_cast<T*>(array.data());
}

// f(V{}) for the vertex type of an index array.
template <class A, class F>
auto with_vertex(const A& indices, F f) {
    if (indices.dtype() == nb::dtype<int32_t>()) return f(int32_t{});
    if (indices.dtype() == nb::dtype<int64_t>()) return f(int64_t{});
    throw std::invalid_argument("vertex arrays must be int32 or int64");
}

// f(W{}) for the weight type: the one list of weight types.
template <class A, class F>
auto with_weight(const A& weights, F f) {
    if (weights.dtype() == nb::dtype<int32_t>()) return f(int32_t{});
    if (weights.dtype() == nb::dtype<int64_t>()) return f(int64_t{});
    if (weights.dtype() == nb::dtype<float>()) return f(float{});
    if (weights.dtype() == nb::dtype<double>()) return f(double{});
    throw std::invalid_argument("weights must be int32, int64, float32 or float64");
}

inline void same_size(size_t a, size_t b, const char* what) {
    if (a != b) throw std::invalid_argument(std::string(what) + ": array sizes do not match");
}

// Raises FormatError if pages of a mapped file were lost since `faults` was read: what was computed is no answer.
inline void check_maps(uint32_t faults) {
    if (guard::replaced.load() == faults) return;
    const nb::object error = nb::module_::import_("steppe.errors").attr("FormatError");
    PyErr_SetString(error.ptr(), "a file was truncated, or could not be read, while it was mapped");
    throw nb::python_error();
}

// A Watch that, at most every 20 ms, runs Python's signal handlers and the progress callback (a callable or None).
class PythonWatch : public Watch {
  public:
    explicit PythonWatch(nb::handle progress)
        : Watch([this](int64_t done) { return ask(done); }), progress_(progress) {}

    // Runs f without the GIL; raises what stopped it, if anything did, and if a mapped file lost pages meanwhile.
    template <class F>
    auto run(F f) {
        const uint32_t faults = guard::replaced.load();
        using Result = decltype(f(static_cast<Watch&>(*this)));
        std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
        bool ending = false, forked = false;
        {
            Call call(*this);
            call_ = &call;
            try {
                if constexpr (std::is_void_v<Result>) f(static_cast<Watch&>(*this)), result = true;
                else result.emplace(f(static_cast<Watch&>(*this)));
            } catch (const Interrupted&) {
                ending = call.is_ending();
                forked = call.is_forked();
            }
        }  // the GIL is held again from here on
        if (result) {
            check_maps(faults);
            if constexpr (std::is_void_v<Result>) return;
            else return std::move(*result);
        }
        if (error_) throw std::move(*error_);
        if (ending) raise_exit();
        throw std::runtime_error(forked ? "a forked child cannot go on with a call that its parent had begun"
                                        : "interrupted");
    }

  private:
    // The interpreter may end in here, and the thread's stack with it (or_sleep): no frame of C++ lies between.
    bool ask(int64_t done) {
        bool stop = false;
        call_->with_gil([&] {
            stop = call_->is_ending() || PyErr_CheckSignals() != 0;
            if (!stop && !progress_.is_none()) {
                PyObject* number = PyLong_FromLongLong(done);
                PyObject* result = number ? PyObject_CallFunctionObjArgs(progress_.ptr(), number, nullptr) : nullptr;
                stop = result == nullptr;
                Py_XDECREF(result);
                Py_XDECREF(number);
            }
            if (stop && PyErr_Occurred()) error_.emplace();
        });
        if (call_->is_forked()) throw Interrupted{};  // at once: nobody is left to meet the others for
        return stop;
    }

    nb::handle progress_;
    Call* call_ = nullptr;
    std::optional<nb::python_error> error_;
};

// f(watch) without the GIL, for calls that have no progress to tell.
template <class F>
auto without_gil(F f) {
    return PythonWatch(nb::none()).run(f);
}

}  // namespace steppe::bindings
