// A small stand-in for libFuzzer, for machines without clang: random changes to a corpus, without coverage. Knows the
// options that native.py uses (-runs, -max_total_time, -seed, -max_len, -artifact_prefix), then folders or files.
//
// The input at work is written to the artifact when a sanitizer reports, the harness aborts or a second has passed.
#include <sanitizer/asan_interface.h>
#include <sys/time.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::string input, artifact = "./";
std::mt19937_64 source;

void keep(const char* kind) {
    static bool kept = false;
    if (std::exchange(kept, true)) return;
    const std::string path = artifact + kind + "-" + std::to_string(std::hash<std::string>{}(input));
    if (FILE* file = std::fopen(path.c_str(), "wb")) {
        std::fwrite(input.data(), 1, input.size(), file);
        std::fclose(file);
    }
}

size_t below(size_t n) { return n ? source() % n : 0; }

void change(std::string& text, const std::string& other, const std::vector<std::string>& words) {
    const size_t at = below(text.size() + 1), length = std::min(text.size() - at, 1 + below(16));
    switch (below(8)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(8));
            break;
        case 1:
            if (at < text.size()) text[at] = static_cast<char>(source());
            break;
        case 2:
            text.erase(at, length);
            break;
        case 3:
            text.insert(at, text.substr(at, length));
            break;
        case 4:
            text.insert(at, other.substr(below(other.size()), 1 + below(32)));
            break;
        case 5:
            text.resize(at);
            break;
        case 6:
            text = text.substr(0, at) + other.substr(below(other.size()));
            break;
        default:
            text.replace(at, below(2) * length, words[below(words.size())]);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int64_t runs = -1, seconds = 0, seed = 1;
    size_t longest = 1024;
    std::vector<std::string> corpus;
    auto add = [&](const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    };
    bool folders = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string value = word.substr(std::min(word.find('=') + 1, word.size()));
        if (word.starts_with("-runs=")) runs = std::stoll(value);
        else if (word.starts_with("-max_total_time=")) seconds = std::stoll(value);
        else if (word.starts_with("-seed=")) seed = std::stoll(value);
        else if (word.starts_with("-max_len=")) longest = std::stoull(value);
        else if (word.starts_with("-artifact_prefix=")) artifact = value;
        else if (word.starts_with("-")) continue;
        else if (std::filesystem::is_directory(word)) {
            folders = true;
            for (const auto& entry : std::filesystem::directory_iterator(word)) add(entry.path());
        } else add(word);
    }
    __sanitizer_set_death_callback([] { keep("crash"); });
    std::signal(SIGABRT, [](int) { keep("crash"), std::_Exit(77); });
    std::signal(SIGALRM, [](int) { keep("timeout"), std::_Exit(70); });
    source.seed(static_cast<uint64_t>(seed));
    const std::vector<std::string> words = {"\n",
                                            "\r\n",
                                            " ",
                                            "\t",
                                            ",",
                                            ";",
                                            "-",
                                            "+",
                                            ".",
                                            "e",
                                            "0",
                                            "1.5",
                                            "inf",
                                            "nan",
                                            "1e308",
                                            "1e-320",
                                            "2147483648",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "a ",
                                            "c ",
                                            "%",
                                            "#",
                                            "//",
                                            "00000000000000000001",
                                            "12345678",
                                            "123456789"};
    auto run = [&](const std::string& text) {
        input = text;
        const itimerval second{{0, 0}, {2, 0}};
        setitimer(ITIMER_REAL, &second, nullptr);
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    };
    int64_t done = 0;
    for (; done < static_cast<int64_t>(corpus.size()); ++done) run(corpus[static_cast<size_t>(done)]);
    if (corpus.empty()) corpus.emplace_back("0000");
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? seconds : 1 << 30);
    for (; folders && (runs < 0 || done < runs) && std::chrono::steady_clock::now() < end; ++done) {
        std::string text = corpus[below(corpus.size())];
        for (size_t k = 1 + below(6); k > 0; --k) change(text, corpus[below(corpus.size())], words);
        if (text.size() > longest) text.resize(longest);
        run(text);
    }
    std::fprintf(stderr, "stat::number_of_executed_units: %lld\n", static_cast<long long>(done));
}
