// A stand-in for libcuda.so.1: enough of the CUDA driver API to run steppe's CUDA host code on a machine without a GPU.
//
// Kernels: the module's image names the text it was compiled from (`steppe_program`, see gpu/cuda.py), which lies
// beside it in STEPPE_CACHE_DIR; that text is compiled here with g++ after simt.h and run on host threads (blocks.hpp).
// The machine code itself is not run: this verifies the host code, its arguments and sizes, not NVRTC.
//
// Contexts: one for each device; what belongs to one is refused while another is current.
//
// Memory: STANDIN_MEMORY bytes; what does not fit is refused with OUT_OF_MEMORY. Allocations are rounded up to
// STANDIN_PAGE bytes, a module takes STANDIN_MODULE, other processes what the file STANDIN_OTHERS says, and host memory
// can be pinned up to STANDIN_PINNED. Fresh memory is full of rubbish, copies and kernel arguments must lie in live
// allocations.
//
// STANDIN_LOG names a file for what was asked for: launches, copies, waits, in order.
//
// Launches: a block that meets at more than STANDIN_BARRIERS barriers is ended, as a watchdog would end it.
//
// With STANDIN_IDLE no launch does anything, which leaves the time that the host takes to ask for it.
//
// Streams: an operation runs as late as it may, when somebody synchronises or waits. A forgotten wait is thus always
// seen, where a real driver would forgive it most of the time.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "blocks.hpp"
#include "modules.hpp"

typedef int Result;
typedef unsigned long long Pointer;
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_TIMEOUT = 702,
    LAUNCH_FAILED = 719
};
#define API extern "C" __attribute__((visibility("default"))) Result
API cuInit(unsigned);

namespace {
std::recursive_mutex mutex;
#define LOCKED std::lock_guard<std::recursive_mutex> hold(mutex)
struct Context {};
Context contexts[8];                         // one for each device
thread_local std::vector<void*> entered{1};  // the last is current: none at first
bool known(void* context) { return context >= contexts && context < contexts + 8; }
const bool idle = getenv("STANDIN_IDLE") != nullptr;  // launches do nothing: what is left is the host's own time
#define IN_CONTEXT \
    LOCKED;        \
    if (!known(entered.back())) return INVALID_CONTEXT

using standin::Module;
using standin::setting;
size_t limit() { return strtoull(setting("STANDIN_MEMORY", "1073741824"), nullptr, 10); }
size_t number(const char* name, const char* otherwise) { return strtoull(setting(name, otherwise), nullptr, 10); }
const size_t page = number("STANDIN_PAGE", "1");
size_t rounded(size_t n) { return (n + page - 1) / page * page; }
size_t large, small, pinned_bytes;
// Allocators give out whole pages: large arrays have their own, small ones share.
size_t used() { return large + rounded(small); }
size_t& kind_of(size_t n) { return n < page / 2 ? small : large; }
size_t cost(size_t n) { return n < page / 2 ? n : rounded(n); }
size_t others() {  // what other processes have taken: the number in a file, which a test may change at any time
    size_t bytes = 0;
    if (const char* path = getenv("STANDIN_OTHERS")) std::ifstream(path) >> bytes;
    return bytes;
}
size_t left() { return std::max(limit(), used() + others()) - used() - others(); }
std::map<Pointer, size_t> live, pinned;

// What was asked for, a line each, in order.
void note(const std::string& line) {
    static FILE* log = getenv("STANDIN_LOG") ? fopen(getenv("STANDIN_LOG"), "a") : nullptr;
    if (log) fprintf(log, "%s\n", line.c_str()), fflush(log);
}

bool inside(const std::map<Pointer, size_t>& spans, Pointer p, size_t n) {
    auto next = spans.upper_bound(p);
    if (next == spans.begin()) return false;
    auto span = std::prev(next);
    return p + n <= span->first + span->second;
}

struct Stream {
    void* context = entered.back();
    std::deque<std::function<Result()>> todo;
    bool recording = false;
    std::vector<std::function<Result()>> recorded;
    uint64_t done = 0;
    uint64_t issued() const { return done + todo.size(); }
};
struct Event {
    Stream* stream = nullptr;
    uint64_t position = 0;
};
std::vector<Stream*> streams;
size_t number_of(void* stream) { return std::find(streams.begin(), streams.end(), stream) - streams.begin(); }
Result sticky = OK;

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

void enqueue(void* stream, std::function<Result()> operation) {
    auto* s = static_cast<Stream*>(stream);
    if (s->recording) s->recorded.push_back(std::move(operation));
    else s->todo.push_back(std::move(operation));
}
}  // namespace

API cuInit(unsigned) { return OK; }
// NVRTC looks for a table of hooks in the driver, and does without.
API cuGetExportTable(const void** table, const void*) { return *table = nullptr, NOT_FOUND; }
API cuDriverGetVersion(int* v) { return *v = atoi(setting("STANDIN_VERSION", "13040")), OK; }
API cuDeviceGetCount(int* n) { return *n = atoi(setting("STANDIN_DEVICES", "2")), OK; }
API cuDeviceGet(int* device, int index) { return *device = index, OK; }
API cuDeviceGetName(char* name, int size, int) { return snprintf(name, size, "stand-in GPU"), OK; }
API cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = limit(), OK; }
API cuDeviceGetAttribute(int* value, int attribute, int) {
    int capability = atoi(setting("STANDIN_CAPABILITY", "86"));
    switch (attribute) {
        case 1:
            return *value = 1024, OK;  // threads per block
        case 16:
            return *value = 4, OK;  // multiprocessors
        case 75:
            return *value = capability / 10, OK;  // compute capability
        case 76:
            return *value = capability % 10, OK;
    }
    return INVALID_VALUE;
}
API cuDevicePrimaryCtxRetain(void** context, int device) { return *context = &contexts[device], OK; }
API cuCtxSetCurrent(void* context) { return entered.back() = context, OK; }
API cuCtxGetCurrent(void** context) { return *context = entered.back(), OK; }
API cuCtxPushCurrent_v2(void* context) { return entered.push_back(context), OK; }
API cuCtxPopCurrent_v2(void** context) {
    if (entered.size() < 2) return INVALID_CONTEXT;
    return *context = entered.back(), entered.pop_back(), OK;
}
API cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
    IN_CONTEXT;
    return *total = limit(), *free_bytes = left(), OK;
}
API cuMemAlloc_v2(Pointer* p, size_t n) {
    IN_CONTEXT;
    if (n == 0) return INVALID_VALUE;
    kind_of(n) += cost(n);
    if (used() + others() > limit()) return kind_of(n) -= cost(n), OUT_OF_MEMORY;
    void* memory = aligned_alloc(256, (n + 255) / 256 * 256);
    memset(memory, 0xcd, n);
    *p = reinterpret_cast<Pointer>(memory);
    live[*p] = n;
    note("alloc " + std::to_string(n));
    return OK;
}
API cuMemFree_v2(Pointer p) {
    IN_CONTEXT;
    drain_all();
    auto found = live.find(p);
    if (found == live.end()) return INVALID_VALUE;
    kind_of(found->second) -= cost(found->second);
    memset(reinterpret_cast<void*>(p), 0xdd, found->second);
    free(reinterpret_cast<void*>(p));
    live.erase(found);
    return sticky;
}
API cuMemHostAlloc(void** p, size_t n, unsigned) {
    IN_CONTEXT;
    static const size_t most = number("STANDIN_PINNED", "134217728");
    if (pinned_bytes + n > most) return OUT_OF_MEMORY;
    *p = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
    pinned[reinterpret_cast<Pointer>(*p)] = n;
    pinned_bytes += n;
    note("pin " + std::to_string(pinned_bytes));
    return OK;
}
API cuMemFreeHost(void* p) {
    IN_CONTEXT;
    drain_all();
    auto found = pinned.find(reinterpret_cast<Pointer>(p));
    if (found == pinned.end()) return INVALID_VALUE;
    pinned_bytes -= found->second;
    pinned.erase(found);
    free(p);
    return OK;
}
API cuStreamCreate(void** stream, unsigned) {
    IN_CONTEXT;
    streams.push_back(new Stream);
    return *stream = streams.back(), OK;
}
API cuStreamDestroy_v2(void* stream) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    drain(s, s->issued());
    const auto at = std::find(streams.begin(), streams.end(), s);
    if (at == streams.end()) return INVALID_VALUE;
    streams.erase(at);
    delete s;
    return OK;
}
API cuStreamSynchronize(void* stream) {
    IN_CONTEXT;
    if (static_cast<Stream*>(stream)->context != entered.back()) return INVALID_HANDLE;
    if (static_cast<Stream*>(stream)->recording) return INVALID_VALUE;
    note("wait stream " + std::to_string(number_of(stream)));
    drain(static_cast<Stream*>(stream), static_cast<Stream*>(stream)->issued());
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
    *static_cast<Event*>(event) = {s, s->issued()};
    return OK;
}
API cuEventSynchronize(void* event) {
    IN_CONTEXT;
    auto* e = static_cast<Event*>(event);
    if (e->stream) note("wait event of stream " + std::to_string(number_of(e->stream)));
    if (e->stream) drain(e->stream, e->position);
    return sticky;
}
API cuStreamWaitEvent(void* stream, void* event, unsigned) {
    IN_CONTEXT;
    Event e = *static_cast<Event*>(event);
    enqueue(stream, [e] {
        if (e.stream) drain(e.stream, e.position);
        return OK;
    });
    return OK;
}
API cuMemcpyHtoDAsync_v2(Pointer target, const void* source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, target, n)) return INVALID_VALUE;
    if (inside(pinned, reinterpret_cast<Pointer>(source), n)) {  // read when the copy runs, as a real one is
        auto from = std::prev(pinned.upper_bound(reinterpret_cast<Pointer>(source)));
        note("copy from pinned " + std::to_string(from->first) + " " + std::to_string(n) + " stream " +
             std::to_string(number_of(stream)));
        enqueue(stream, [=] { return memcpy(reinterpret_cast<void*>(target), source, n), OK; });
    } else {  // a driver takes pageable memory before it returns
        note("copy to device " + std::to_string(n));
        std::string kept(static_cast<const char*>(source), n);
        enqueue(stream, [=] { return memcpy(reinterpret_cast<void*>(target), kept.data(), n), OK; });
    }
    return OK;
}
API cuMemcpyDtoHAsync_v2(void* target, Pointer source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, source, n)) return INVALID_VALUE;
    const auto above = pinned.upper_bound(reinterpret_cast<Pointer>(target));
    note(inside(pinned, reinterpret_cast<Pointer>(target), n)
             ? "copy to pinned " + std::to_string(std::prev(above)->first) + " " + std::to_string(n)
             : "copy to host " + std::to_string(n));
    enqueue(stream, [=] { return memcpy(target, reinterpret_cast<void*>(source), n), OK; });
    return OK;
}
API cuMemcpyDtoDAsync_v2(Pointer target, Pointer source, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, source, n) || !inside(live, target, n)) return INVALID_VALUE;
    enqueue(stream, [=] { return memmove(reinterpret_cast<void*>(target), reinterpret_cast<void*>(source), n), OK; });
    return OK;
}
API cuMemsetD8Async(Pointer p, unsigned char value, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, p, n)) return INVALID_VALUE;
    enqueue(stream, [=] { return memset(reinterpret_cast<void*>(p), value, n), OK; });
    return OK;
}
API cuMemsetD32Async(Pointer p, unsigned value, size_t n, void* stream) {
    IN_CONTEXT;
    if (!inside(live, p, 4 * n) || p % 4) return INVALID_VALUE;
    enqueue(stream, [=] { return std::fill_n(reinterpret_cast<unsigned*>(p), n, value), OK; });
    return OK;
}
API cuModuleLoadData(void** module, const void* image) {
    IN_CONTEXT;
    std::string key = standin::program_key(static_cast<const char*>(image));
    if (key.empty()) return INVALID_IMAGE;
    static const size_t size = number("STANDIN_MODULE", "0");
    if (rounded(size) > left()) return OUT_OF_MEMORY;
    large += rounded(size);
    auto* made = new Module;
    *module = made;
    return standin::load(made, key) ? OK : INVALID_IMAGE;
}
API cuModuleGetFunction(void** function, void* module, const char* name) {
    IN_CONTEXT;
    auto& kernels = static_cast<Module*>(module)->kernels;
    auto found = kernels.find(name);
    if (found == kernels.end()) return NOT_FOUND;
    return *function = &found->second, OK;
}
API cuFuncGetAttribute(int* value, int attribute, void*) {
    return attribute ? INVALID_VALUE : (*value = atoi(setting("STANDIN_THREADS", "1024")), OK);  // threads per block
}
API cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned, void* stream, void** parameters, void**) {
    if (idle) return OK;
    IN_CONTEXT;
    if (static_cast<Stream*>(stream)->context != entered.back()) return INVALID_HANDLE;
    if (gy * gz * by * bz != 1 || gx == 0 || bx == 0 || bx > 1024) return INVALID_VALUE;
    auto* kernel = static_cast<standin::Kernel*>(function);
    std::vector<uint64_t> values(kernel->sizes.size());
    for (size_t i = 0; i < values.size(); i++) {
        memcpy(&values[i], parameters[i], kernel->sizes[i]);
        if (kernel->pointers[i] && !inside(live, values[i], 1)) return ILLEGAL_ADDRESS;
    }
    note("launch " + kernel->name + " stream " + std::to_string(number_of(stream)));
    enqueue(stream, [=]() mutable -> Result {
        std::vector<void*> pointers;
        for (auto& value : values) pointers.push_back(&value);
        static const unsigned long most = strtoul(setting("STANDIN_BARRIERS", "20000"), nullptr, 10);
        switch (standin::run_blocks(*kernel, gx, bx, pointers.data(), most)) {
            case standin::Ending::good:
                return OK;
            case standin::Ending::late:
                return LAUNCH_TIMEOUT;
            default:
                return LAUNCH_FAILED;
        }
    });
    return OK;
}
// Graphs: what is launched on a stream that records is kept, and launched with the graph, as often as that is.
typedef std::vector<std::function<Result()>> Graph;
std::map<void*, Graph> graphs, executables;
API cuStreamBeginCapture_v2(void* stream, int) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    if (s->recording) return INVALID_VALUE;
    return s->recording = true, OK;
}
API cuStreamEndCapture(void* stream, void** graph) {
    IN_CONTEXT;
    auto* s = static_cast<Stream*>(stream);
    if (!s->recording) return INVALID_VALUE;
    s->recording = false;
    *graph = new char;
    graphs[*graph].swap(s->recorded);
    return OK;
}
API cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
    IN_CONTEXT;
    if (!graphs.count(graph)) return INVALID_VALUE;
    *made = new char;
    executables[*made] = graphs[graph];
    return OK;
}
API cuGraphLaunch(void* made, void* stream) {
    if (idle) return OK;
    IN_CONTEXT;
    if (!executables.count(made)) return INVALID_VALUE;
    note("launch graph of " + std::to_string(executables[made].size()));
    for (auto& operation : executables[made]) enqueue(stream, operation);
    return OK;
}
API cuGraphDestroy(void* graph) {
    IN_CONTEXT;
    return graphs.erase(graph) ? (delete static_cast<char*>(graph), OK) : INVALID_VALUE;
}
API cuGraphExecDestroy(void* made) {
    IN_CONTEXT;
    return executables.erase(made) ? (delete static_cast<char*>(made), OK) : INVALID_VALUE;
}
API cuGetErrorName(Result, const char** text) { return *text = "STANDIN_ERROR", OK; }
API cuGetErrorString(Result error, const char** text) {
    static const std::map<Result, const char*> texts = {{INVALID_VALUE, "invalid argument"},
                                                        {OUT_OF_MEMORY, "out of memory"},
                                                        {INVALID_IMAGE, "device kernel image is invalid"},
                                                        {INVALID_CONTEXT, "invalid device context"},
                                                        {INVALID_HANDLE, "invalid resource handle"},
                                                        {NOT_FOUND, "named symbol not found"},
                                                        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
                                                        {LAUNCH_TIMEOUT, "the launch timed out and was terminated"},
                                                        {LAUNCH_FAILED, "unspecified launch failure"}};
    auto found = texts.find(error);
    return *text = found == texts.end() ? "unknown error" : found->second, OK;
}
API cuGetProcAddress_v2(const char* name, void** function, int, uint64_t, int* status) {
    Dl_info self;
    dladdr(reinterpret_cast<void*>(&cuInit), &self);
    static void* library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    *function = dlsym(library, (std::string(name) + "_v2").c_str());
    if (!*function) *function = dlsym(library, name);
    if (status) *status = *function ? 0 : 1;
    return *function ? OK : NOT_FOUND;
}
