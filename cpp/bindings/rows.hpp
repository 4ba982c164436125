// Rows: a graph as Python hands it over once and the core then knows it; and the one place where its types are told
// apart.
#pragma once
#include <memory>
#include <variant>

#include "bindings/arrays.hpp"
#include "rows/forms.hpp"

namespace steppe::bindings {

class Rows {
  public:
    // Keeps the arrays. mapped: edges lie in a file.
    Rows(InOf<int64_t> indptr, In indices, std::optional<In> weights, bool mapped)
        : indptr_(std::move(indptr)), indices_(std::move(indices)), weights_(std::move(weights)), mapped_(mapped) {
        if (indptr_.size() == 0) throw std::invalid_argument("indptr is empty");
        if (weights_) same_size(indices_.size(), weights_->size(), "rows");
        with_vertex(indices_, [&](auto vertex) { wide_ = sizeof(vertex) == 8; });
        if (weights_) with_weight(*weights_, [&](auto w) { forms_ = std::make_unique<rows::Forms<decltype(w)>>(); });
        else forms_ = std::make_unique<rows::Forms<int32_t>>();
    }

    int64_t n() const { return static_cast<int64_t>(indptr_.size()) - 1; }
    int64_t edges() const { return static_cast<int64_t>(indices_.size()); }
    bool is_weighted() const { return weights_.has_value(); }
    bool is_mapped() const { return mapped_; }

    bool is_wide() const { return wide_; }  // vertices are int64

    // f(View<V, W>): the graph in its types; W is int32_t where it has no weights.
    template <class F>
    auto visit(F f) const {
        return wide_ ? visit_as<int64_t>(f) : visit_as<int32_t>(f);
    }
    // The same where vertices must be int32.
    template <class F>
    auto visit_narrow(F f) const {
        if (wide_) throw std::invalid_argument("vertices are int64, which this has no form for");
        return visit_as<int32_t>(f);
    }
    // f(Csr<V, int32_t>): the same without weights.
    template <class F>
    auto visit_unweighted(F f) const {
        if (wide_) return f(unweighted<int64_t>());
        return f(unweighted<int32_t>());
    }
    // The rows of another graph in types that are known; they must be the same.
    template <class V, class W>
    rows::View<V, W> as() const {
        const auto* forms = std::get_if<std::unique_ptr<rows::Forms<W>>>(&forms_);
        if (!forms || wide_ != (sizeof(V) == 8)) throw std::invalid_argument("two graphs of different types");
        return view<V, W>(**forms);
    }
    template <class V>
    rows::Csr<V, int32_t> unweighted() const {
        if (wide_ != (sizeof(V) == 8)) throw std::invalid_argument("two graphs of different types");
        return csr<V, int32_t>(nullptr);
    }

  private:
    template <class V, class F>
    auto visit_as(F& f) const {
        return std::visit(
            [&](const auto& forms) {
                using W = typename std::decay_t<decltype(*forms)>::Weight;
                return f(view<V, W>(*forms));
            },
            forms_);
    }
    template <class V, class W>
    rows::Csr<V, W> csr(const W* weights) const {
        return {n(), indptr_.data(), in<V>(indices_), weights};
    }
    template <class V, class W>
    rows::View<V, W> view(rows::Forms<W>& forms) const {
        return {csr<V, W>(weights_ ? in<W>(*weights_) : nullptr), forms};
    }

    const InOf<int64_t> indptr_;
    const In indices_;
    const std::optional<In> weights_;
    const bool mapped_;
    bool wide_ = false;  // vertices are int64
    std::variant<std::unique_ptr<rows::Forms<int32_t>>, std::unique_ptr<rows::Forms<int64_t>>,
                 std::unique_ptr<rows::Forms<float>>, std::unique_ptr<rows::Forms<double>>>
        forms_;
};

}  // namespace steppe::bindings
