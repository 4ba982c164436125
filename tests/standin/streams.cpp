// Streams: an operation runs as late as it may, when somebody synchronises or waits. A forgotten wait is thus always
// seen, where a real driver would forgive it most of the time.
#include "streams.hpp"

#include "captures.hpp"

namespace standin {

void drain(Stream* stream, uint64_t position) {
    while (stream->done < position) {
        auto operation = std::move(stream->todo.front());
        stream->todo.pop_front();
        stream->done++;
        Result result = operation();
        if (result != OK && sticky == OK) sticky = result;
    }
}
Result drain_all() {
    for (Stream* stream : streams) drain(stream, stream->issued());
    return sticky;
}
Result enqueue(void* stream, Operation operation) {
    auto* s = static_cast<Stream*>(stream);
    if (s->capture) return s->capture->record(std::move(operation));
    s->todo.push_back(std::move(operation));
    return OK;
}

}  // namespace standin
using namespace standin;

API cuStreamCreate(void** stream, unsigned) {
    IN_CONTEXT;
    streams.push_back(new Stream);
    return *stream = streams.back(), OK;
}
API cuStreamDestroy_v2(void* stream) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    const auto at = std::find(streams.begin(), streams.end(), s);
    if (at == streams.end()) return INVALID_VALUE;
    drain(s, s->issued());
    if (s->capture) end(s->capture);
    streams.erase(at);
    delete s;
    return OK;
}
API cuStreamSynchronize(void* stream) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    if (s->context != entered.back()) return INVALID_HANDLE;
    if (s->capture) return s->capture->broken(CAPTURE_UNSUPPORTED);
    UNSAFE;
    note("wait stream " + std::to_string(number_of(stream)));
    drain(s, s->issued());
    return sticky;
}
API cuCtxSynchronize() {
    IN_CONTEXT;
    for (Stream* stream : streams)
        if (stream->context == entered.back() && stream->capture) return stream->capture->broken(CAPTURE_UNSUPPORTED);
    UNSAFE;
    for (Stream* stream : streams)
        if (stream->context == entered.back()) drain(stream, stream->issued());
    return sticky;
}
API cuEventCreate(void** event, unsigned) { return *event = new Event, OK; }
API cuEventDestroy_v2(void* event) {
    LOCKED;
    delete static_cast<Event*>(event);
    return OK;
}
API cuEventRecord(void* event, void* stream) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    *static_cast<Event*>(event) = {s, s->issued(), s->capture};
    return OK;
}
API cuEventSynchronize(void* event) {
    IN_CONTEXT;
    auto* e = static_cast<Event*>(event);
    if (e->capture) return e->capture->broken(CAPTURED_EVENT);
    UNSAFE;
    if (e->stream) note("wait event of stream " + std::to_string(number_of(e->stream)));
    if (e->stream) drain(e->stream, e->position);
    return sticky;
}
API cuStreamWaitEvent(void* stream, void* event, unsigned) {
    IN_CONTEXT;
    Event e = *static_cast<Event*>(event);
    auto* s = static_cast<Stream*>(stream);
    if (e.capture || s->capture) return join(s, e.capture);
    return enqueue(stream, [e] {
        if (e.stream) drain(e.stream, e.position);
        return OK;
    });
}
