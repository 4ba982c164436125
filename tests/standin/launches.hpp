// Launches of the stand-in driver.
#pragma once
#include "streams.hpp"

namespace standin {

// As CUDA_KERNEL_NODE_PARAMS of the second version has it.
struct KernelNode {
    void* function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel, *context;
};

// The launch of a kernel as an operation: its arguments are read now, and checked now and when it runs.
Result prepare(void* function, const unsigned grid[3], const unsigned block[3], void** parameters, Operation* made);

}  // namespace standin
