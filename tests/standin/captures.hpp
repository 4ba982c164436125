// Captures: streams that record what is enqueued on them, and what may not be called meanwhile.
#pragma once
#include <thread>

#include "streams.hpp"

namespace standin {

enum Mode { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2 };

struct Capture {
    Stream* origin;
    std::thread::id thread;
    int mode;
    bool valid = true, ended = false;
    std::vector<Operation> recorded;

    Result record(Operation operation) {
        if (!valid) return CAPTURE_INVALIDATED;
        recorded.push_back(std::move(operation));
        return OK;
    }
    // The same error as given, and the capture is of no more use.
    Result broken(Result error) { return valid = false, error; }
};

Result join(Stream* stream, const std::shared_ptr<Capture>& capture);
void end(std::shared_ptr<Capture> capture);
Result allowed();
// Of calls that a capture does not see, as allocations and waits.
#define UNSAFE \
    if (Result refused = standin::allowed()) return refused

}  // namespace standin
