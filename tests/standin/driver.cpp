// A stand-in for libcuda.so.1: enough of the CUDA driver API to run steppe's CUDA host code on a machine without a GPU.
// Here are devices, contexts and errors; memory, streams, captures, graphs and launches have files of their own, which
// say at their head how they behave.
//
// Contexts: one for each device; what belongs to one is refused while another is current.
//
// STANDIN_LOG names a file for what was asked for: launches, copies, waits, in order.
#include <dlfcn.h>

#include <cstdint>
#include <map>

#include "memory.hpp"

using namespace standin;

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
API cuGetErrorName(Result, const char** text) { return *text = "STANDIN_ERROR", OK; }
API cuGetErrorString(Result error, const char** text) {
    static const std::map<Result, const char*> texts = {
        {INVALID_VALUE, "invalid argument"},
        {OUT_OF_MEMORY, "out of memory"},
        {INVALID_IMAGE, "device kernel image is invalid"},
        {INVALID_CONTEXT, "invalid device context"},
        {INVALID_HANDLE, "invalid resource handle"},
        {ILLEGAL_STATE, "the operation cannot be performed in the present state"},
        {NOT_FOUND, "named symbol not found"},
        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
        {LAUNCH_TIMEOUT, "the launch timed out and was terminated"},
        {LAUNCH_FAILED, "unspecified launch failure"},
        {CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"},
        {CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"},
        {CAPTURE_MERGE, "operation would result in a merge of separate capture sequences"},
        {CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began"},
        {CAPTURE_UNJOINED, "capturing stream has unjoined work"},
        {CAPTURE_ISOLATION, "dependency created on uncaptured work in another stream"},
        {CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream"},
        {CAPTURE_WRONG_THREAD, "attempt to terminate a thread-local capture sequence from another thread"}};
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
