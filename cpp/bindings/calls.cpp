// Calls and their end; see calls.hpp.
#include "bindings/calls.hpp"

#include "base/lock.hpp"

namespace steppe::bindings {

namespace nb = nanobind;

Call::Call(Watch& watch) : watch_(watch) {
    ready_for_errors();
    if (!Calls::instance().enter(*this)) raise_exit();
    state_ = PyEval_SaveThread();
}

Call::~Call() {
    Pool::instance().trim();
    or_sleep([&] { PyEval_RestoreThread(state_); });
    Calls::instance().leave(*this);
}

Calls& Calls::instance() {
    static Calls* calls = make();  // never destroyed: threads may be in it when static destructors run
    return *calls;
}

Calls* Calls::make() {
    static Calls* calls = new Calls;
#if !defined(_WIN32)
    pthread_atfork([] { calls->lock_.lock(); }, [] { calls->lock_.unlock(); }, [] { calls->forget(); });
#endif
    return calls;
}

bool Calls::enter(Call& call) {
    const std::lock_guard<std::mutex> hold(lock_);
    if (ending_ && ender_ != call.thread_) return false;
    call.after_ = first_;
    if (first_) first_->before_ = &call;
    first_ = &call;
    return true;
}

void Calls::leave(Call& call) {
    const std::lock_guard<std::mutex> hold(lock_);
    (call.before_ ? call.before_->after_ : first_) = call.after_;
    if (call.after_) call.after_->before_ = call.before_;
}

// Tells everyone to stop. A progress callback is waited for only as long as we are patient: it may sleep for ever.
bool Calls::is_anyone_left(bool patient) {
    const std::lock_guard<std::mutex> hold(lock_);
    bool found = false;
    for (Call* call = first_; call; call = call->after_) {
        if (call->thread_ == ender_) continue;  // exit() was called in a progress callback
        call->ending_.store(true);
        call->watch_.stop();
        found |= patient || !call->in_python_.load();
    }
    return found;
}

void Calls::end() {
    {
        const std::lock_guard<std::mutex> hold(lock_);
        ending_ = true;
        ender_ = std::this_thread::get_id();
    }
    PyThreadState* state = PyEval_SaveThread();
    using Clock = std::chrono::steady_clock;
    const auto patience = Clock::now() + std::chrono::seconds(1);
    while (is_anyone_left(Clock::now() < patience)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    PyEval_RestoreThread(state);
}

// In the child, with the lock that the parent's thread took.
void Calls::forget() {
    Call* mine = nullptr;
    for (Call *call = first_, *next; call; call = next) {
        next = call->after_;
        if (call->thread_ != std::this_thread::get_id()) continue;
        call->forked_ = true;
        call->watch_.stop();
        call->before_ = nullptr;
        call->after_ = mine;
        if (mine) mine->before_ = call;
        mine = call;
    }
    first_ = mine;
    lock_.unlock();
}

void bind_calls(nb::module_& m) {
    // These exist before a second thread could be making them when a third forks.
    Pool::instance();
    Calls::instance();
    Lock::survive_forks();
    m.def("end_calls", [] { Calls::instance().end(); });
    nb::module_::import_("atexit").attr("register")(m.attr("end_calls"));
}

}  // namespace steppe::bindings
