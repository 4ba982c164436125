// Modules of the stand-in driver: from the image that NVRTC made back to its text, which g++ compiles for the host.
#pragma once
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "blocks.hpp"
#include "state.hpp"

namespace standin {

struct Module {
    void* library = nullptr;
    std::map<std::string, Kernel> kernels;
};

// The name that gpu/cuda.py put into the module: as text in machine code, as a list of numbers in PTX.
inline std::string program_key(const char* image) {
    std::string found;
    bool elf = memcmp(image, "\177ELF", 4) == 0;
    if (elf) {
        uint64_t sections;  // of a 64-bit ELF file: the section table is its last part
        uint16_t size, count;
        memcpy(&sections, image + 40, 8), memcpy(&size, image + 58, 2), memcpy(&count, image + 60, 2);
        std::string all(image, std::max<uint64_t>(sections + uint64_t(size) * count, 64));
        uint64_t end = all.size();
        for (unsigned i = 0; i < count; i++) {
            uint64_t offset, length;
            uint32_t type;
            memcpy(&type, image + sections + i * size + 4, 4);
            memcpy(&offset, image + sections + i * size + 24, 8), memcpy(&length, image + sections + i * size + 32, 8);
            if (type != 8) end = std::max(end, offset + length);
        }
        all.assign(image, end);
        size_t at = all.find("steppe_program:");
        if (at != std::string::npos) found = all.substr(at + 15, 40);
    } else {
        const char* list = strstr(image, "steppe_program[");
        list = list ? strchr(list, '{') : nullptr;
        std::string text;
        while (list && *list != '}') text += char(strtol(list + 1, const_cast<char**>(&list), 10));
        if (text.rfind("steppe_program:", 0) == 0) found = text.substr(15, 40);
    }
    return found;
}

inline bool load(Module* module, const std::string& key) {
    std::string folder = setting("STEPPE_CACHE_DIR", "."), base = folder + "/" + key, shared = base + ".so";
    std::ifstream file(base + ".cu");
    if (!file) return false;
    std::stringstream text;
    text << file.rdbuf();
    std::string body = text.str();
    body = std::regex_replace(body, std::regex("/\\*[^]*?\\*/"), "");
    std::vector<std::string> names;
    static const std::regex pattern("(?:^|\n)KERNEL\\s+(\\w+)\\s*\\(");
    for (std::sregex_iterator it(body.begin(), body.end(), pattern), end; it != end; ++it) names.push_back((*it)[1]);
    if (access(shared.c_str(), R_OK) != 0) {
        std::string mine = std::to_string(getpid()), cpp = base + "." + mine + ".cpp", so = shared + "." + mine;
        std::ofstream out(cpp);
        out << "#include \"" << setting("STANDIN_HEADER", "simt.h") << "\"\n" << text.str() << "\n";
        for (auto& name : names) out << "SIMT_KERNEL(" << name << ")\n";
        out.close();
        std::string command = std::string(setting("CXX", "g++")) +
                              " -std=c++17 -O1 -w -shared -fPIC -ffp-contract=off -o '" + so + "' '" + cpp + "'";
        if (system(command.c_str()) != 0 || rename(so.c_str(), shared.c_str()) != 0) return false;
        unlink(cpp.c_str());
    }
    module->library = dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module->library) return false;
    for (auto& name : names) {
        Kernel kernel;
        kernel.name = name;
        auto find = [&](const std::string& symbol) { return dlsym(module->library, symbol.c_str()); };
        kernel.call = reinterpret_cast<void (*)(void**)>(find("simt_call_" + name));
        kernel.enter = reinterpret_cast<decltype(kernel.enter)>(find("simt_enter"));
        auto describe = reinterpret_cast<int (*)(int*, bool*)>(find("simt_describe_" + name));
        if (!kernel.call || !kernel.enter || !describe) return false;
        int sizes[64];
        bool pointers[64];
        int count = describe(sizes, pointers);
        kernel.sizes.assign(sizes, sizes + count);
        kernel.pointers.assign(pointers, pointers + count);
        module->kernels[name] = kernel;
    }
    return true;
}

}  // namespace standin
