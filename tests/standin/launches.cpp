// Kernels: the module's image names the text it was compiled from (`steppe_program`, see gpu/cuda.py), which lies
// beside it in STEPPE_CACHE_DIR; that text is compiled here with g++ after simt.h and run on host threads (blocks.hpp).
// The machine code itself is not run: this verifies the host code, its arguments and sizes, not NVRTC.
//
// A block that meets at more than STANDIN_BARRIERS barriers is ended, as a watchdog would end it. With STANDIN_IDLE no
// launch does anything, which leaves the time that the host takes to ask for it.
#include "launches.hpp"

#include <cstring>

#include "blocks.hpp"
#include "captures.hpp"
#include "memory.hpp"
#include "modules.hpp"

namespace standin {
namespace {
// Every pointer argument lies in an allocation of the context.
bool reachable(const Kernel& kernel, const std::vector<uint64_t>& values, void* context) {
    for (size_t i = 0; i < values.size(); i++)
        if (kernel.pointers[i] && owner_of(values[i]) != context) return false;
    return true;
}
}  // namespace

Result prepare(void* function, const unsigned grid[3], const unsigned block[3], void** parameters, Operation* made) {
    if (grid[1] * grid[2] * block[1] * block[2] != 1 || grid[0] == 0 || block[0] == 0 || block[0] > 1024)
        return INVALID_VALUE;
    auto* kernel = static_cast<Kernel*>(function);
    std::vector<uint64_t> values(kernel->sizes.size());
    for (size_t i = 0; i < values.size(); i++) memcpy(&values[i], parameters[i], kernel->sizes[i]);
    void* context = entered.back();
    if (!reachable(*kernel, values, context)) return sticky = ILLEGAL_ADDRESS;
    const unsigned blocks = grid[0], threads = block[0];
    *made = [=]() mutable -> Result {
        if (!reachable(*kernel, values, context)) return ILLEGAL_ADDRESS;
        std::vector<void*> pointers;
        for (auto& value : values) pointers.push_back(&value);
        static const unsigned long most = strtoul(setting("STANDIN_BARRIERS", "20000"), nullptr, 10);
        switch (run_blocks(*kernel, blocks, threads, pointers.data(), most)) {
            case Ending::good:
                return OK;
            case Ending::late:
                return LAUNCH_TIMEOUT;
            default:
                return LAUNCH_FAILED;
        }
    };
    return OK;
}

}  // namespace standin
using namespace standin;

API cuModuleLoadData(void** module, const void* image) {
    IN_CONTEXT;
    UNSAFE;
    std::string key = program_key(static_cast<const char*>(image));
    if (key.empty()) return INVALID_IMAGE;
    static const size_t size = number("STANDIN_MODULE", "0");
    if (!take_module(size)) return OUT_OF_MEMORY;
    auto* made = new Module;
    *module = made;
    return load(made, key) ? OK : INVALID_IMAGE;
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
    const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    Operation operation;
    if (Result error = prepare(function, grid, block, parameters, &operation)) return error;
    note("launch " + static_cast<Kernel*>(function)->name + " stream " + std::to_string(number_of(stream)));
    return enqueue(stream, operation);
}
