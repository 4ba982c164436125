// Captures follow CUDA's rules. Whatever any thread enqueues on a capturing stream is recorded and not run. A call that
// a capture does not see (an allocation, a release, a wait) is refused with 900 and makes the captures it meets
// invalid: those of its own thread unless they began as RELAXED, and those of other threads that began as GLOBAL; but
// for the latter the calling thread's own mode (cuThreadExchangeStreamCaptureMode) must be GLOBAL, and for the former
// not RELAXED. A capturing stream, one of its events or its context cannot be waited for, in no mode.
//
// A stream that joins a capture by an event never leaves it again here, so that the capture ends as UNJOINED.
#include "captures.hpp"

#include "graphs.hpp"

namespace standin {
namespace {
std::vector<std::shared_ptr<Capture>> captures;  // that have begun and not ended
thread_local int interaction = GLOBAL;
}  // namespace

Result allowed() {
    bool met = false;
    for (auto& capture : captures) {
        const bool mine = capture->thread == std::this_thread::get_id() && capture->mode != RELAXED;
        const bool theirs = capture->thread != std::this_thread::get_id() && capture->mode == GLOBAL;
        if (interaction != RELAXED && (mine || (theirs && interaction == GLOBAL))) {
            capture->valid = false;
            met = true;
        }
    }
    return met ? CAPTURE_UNSUPPORTED : OK;
}

Result join(Stream* stream, const std::shared_ptr<Capture>& capture) {
    if (!capture) return stream->capture->broken(CAPTURE_ISOLATION);  // on what was enqueued outside
    if (capture->ended) return CAPTURED_EVENT;
    if (stream->capture && stream->capture != capture) {
        stream->capture->valid = false;
        return capture->broken(CAPTURE_MERGE);
    }
    stream->capture = capture;
    return capture->valid ? OK : CAPTURE_INVALIDATED;
}

void end(std::shared_ptr<Capture> capture) {
    capture->ended = true;
    for (Stream* stream : streams)
        if (stream->capture == capture) stream->capture.reset();
    captures.erase(std::find(captures.begin(), captures.end(), capture));
}

}  // namespace standin
using namespace standin;

API cuThreadExchangeStreamCaptureMode(int* mode) {
    if (*mode < GLOBAL || *mode > RELAXED) return INVALID_VALUE;
    std::swap(*mode, interaction);
    return OK;
}
API cuStreamBeginCapture_v2(void* stream, int mode) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    if (s->capture) return ILLEGAL_STATE;
    s->capture = std::make_shared<Capture>(Capture{s, std::this_thread::get_id(), mode, true, false, {}});
    captures.push_back(s->capture);
    return OK;
}
API cuStreamEndCapture(void* stream, void** graph) {
    IN_CONTEXT;
    const auto capture = static_cast<Stream*>(stream)->capture;
    *graph = nullptr;
    if (!capture) return ILLEGAL_STATE;
    if (capture->origin != stream) return capture->broken(CAPTURE_UNMATCHED);
    if (capture->mode != RELAXED && capture->thread != std::this_thread::get_id()) return CAPTURE_WRONG_THREAD;
    size_t joined = 0;
    for (Stream* one : streams) joined += one->capture == capture;
    end(capture);
    if (!capture->valid) return CAPTURE_INVALIDATED;
    if (joined > 1) return CAPTURE_UNJOINED;
    return *graph = make_graph(capture->recorded), OK;
}
