// The extension module: one bind_* function per noun, each in the file of that name.
#include <nanobind/nanobind.h>

namespace steppe::bindings {
void bind_adjacency(nanobind::module_& m);
void bind_bfs(nanobind::module_& m);
void bind_calls(nanobind::module_& m);
void bind_build(nanobind::module_& m);
void bind_question(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_many(nanobind::module_& m);
void bind_nearest(nanobind::module_& m);
void bind_hops(nanobind::module_& m);
void bind_lanes(nanobind::module_& m);
void bind_stored(nanobind::module_& m);
void bind_contraction(nanobind::module_& m);
void bind_bounded(nanobind::module_& m);
void bind_floyd_warshall(nanobind::module_& m);
void bind_predecessors(nanobind::module_& m);
void bind_sssp(nanobind::module_& m);
void bind_verify(nanobind::module_& m);
void bind_text(nanobind::module_& m);
void bind_generate(nanobind::module_& m);
void bind_bellman_ford(nanobind::module_& m);
void bind_order(nanobind::module_& m);
void bind_route(nanobind::module_& m);
void bind_spur(nanobind::module_& m);
void bind_testing(nanobind::module_& m);
void bind_external(nanobind::module_& m);
void bind_generate_rows(nanobind::module_& m);
#if defined(STEPPE_SANITIZE)
void bind_seeded(nanobind::module_& m);
#endif
void bind_pages(nanobind::module_& m);
void bind_along(nanobind::module_& m);
void bind_scatter(nanobind::module_& m);
void bind_table(nanobind::module_& m);
void bind_skims(nanobind::module_& m);
void bind_partition(nanobind::module_& m);
}  // namespace steppe::bindings

NB_MODULE(_core, m) {
    using namespace steppe::bindings;
    m.doc() = "The native core of steppe. Arguments are checked in Python; use the steppe package, not this module.";
    // A daemon thread keeps its graph when the process ends: Python never lets go of such a thread's frames.
    nanobind::set_leak_warnings(false);
    bind_calls(m);
    bind_rows(m);
    bind_question(m);
    bind_build(m);
    bind_bfs(m);
    bind_many(m);
    bind_nearest(m);
    bind_hops(m);
    bind_lanes(m);
    bind_stored(m);
    bind_contraction(m);
    bind_bounded(m);
    bind_floyd_warshall(m);
    bind_predecessors(m);
    bind_sssp(m);
    bind_verify(m);
    bind_text(m);
    bind_generate(m);
    bind_bellman_ford(m);
    bind_route(m);
    bind_spur(m);
    bind_order(m);
    bind_adjacency(m);
    bind_testing(m);
    bind_external(m);
    bind_generate_rows(m);
#if defined(STEPPE_SANITIZE)
    bind_seeded(m);
#endif
    bind_pages(m);
    bind_along(m);
    bind_scatter(m);
    bind_table(m);
    bind_skims(m);
    bind_partition(m);
}
