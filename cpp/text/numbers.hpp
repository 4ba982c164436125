// Numbers in text: read and printed exactly, whatever the locale.
//
// Eight characters are read as one word: a number of up to eight digits, nearly every vertex id and weight, costs three
// multiplications and no loop (the digits are shifted to the top of the word, then pairs, quadruples and the two halves
// are added up). Decimal fractions whose digits fit in 2^53 and whose power of ten is exact need one multiplication or
// division (Clinger 1990); the rest goes to std::from_chars. Printed floats are the shortest that read back the same.
#pragma once
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace steppe::text {

enum class Number { ok, missing, overflow };

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Reads digits at p, which moves behind them. The text must end in something that is no digit (a line feed) less than
// eight characters behind `safe`: words are only loaded up to `safe`.
inline Number read_digits(const char*& p, const char* safe, uint64_t& value) {
    uint64_t x = 0;
    int digits = 0;
    if (std::endian::native == std::endian::little && p + 8 <= safe) {
        uint64_t t;
        std::memcpy(&t, p, 8);
        t ^= 0x3030303030303030u;
        const uint64_t others = ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;  // bytes that are no digits
        digits = others ? std::countr_zero(others) >> 3 : 8;
        if (!digits) return Number::missing;
        t <<= 64 - 8 * digits;
        t = (t * 10 + (t >> 8)) & 0x00ff00ff00ff00ffu;
        t = (t * 100 + (t >> 16)) & 0x0000ffff0000ffffu;
        x = (t * 10000 + (t >> 32)) & 0xffffffffu;
        p += digits;
        if (digits < 8) {
            value = x;
            return Number::ok;
        }
    } else if (!is_digit(*p)) {
        return Number::missing;
    }
    constexpr uint64_t limit = uint64_t{1} << 63;  // the size of the most negative int64
    for (; is_digit(*p); ++p) {
        const uint64_t digit = static_cast<uint64_t>(*p - '0');
        if (x > (limit - digit) / 10) return Number::overflow;
        x = x * 10 + digit;
    }
    value = x;
    return Number::ok;
}

// Any number; `end` bounds the text. Accepts inf, infinity and nan in any case, as from_chars does.
template <class T>
Number read_general(const char*& p, const char* end, T& value) {
    const char* from = *p == '+' ? p + 1 : p;
    if (from != p && *from == '-') return Number::missing;
#if defined(__cpp_lib_to_chars)
    const auto [stop, error] = std::from_chars(from, end, value);
    if (error == std::errc::invalid_argument) return Number::missing;
    if (error == std::errc::result_out_of_range) return Number::overflow;
    p = stop;
#else
    // No floating from_chars in this standard library. strtod needs a terminated copy; Python keeps LC_NUMERIC at "C".
    const char* stop = from;
    while (stop < end && *stop != ' ' && *stop != '\t' && *stop != ',' && *stop != ';' && *stop != '\r' &&
           *stop != '\n')
        ++stop;
    const std::string text(from, stop);
    char* last = nullptr;
    value =
        static_cast<T>(std::is_same_v<T, float> ? std::strtof(text.c_str(), &last) : std::strtod(text.c_str(), &last));
    if (last == text.c_str()) return Number::missing;
    if (std::isinf(value) && text.find_first_of("iI") == std::string::npos) return Number::overflow;
    p = from + (last - text.c_str());
#endif
    return Number::ok;
}

template <class T>
Number read_float(const char*& p, const char* end, const char* safe, T& value) {
    if constexpr (std::is_same_v<T, double>) {
        static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        const char* q = p;
        const bool negative = *q == '-';
        q += negative || *q == '+';
        uint64_t whole = 0, part = 0;
        int places = 0;
        if (read_digits(q, safe, whole) == Number::ok && whole < (uint64_t{1} << 53)) {
            bool exact = true;
            if (*q == '.') {
                const char* dot = ++q;
                if (is_digit(*q)) {
                    exact = read_digits(q, safe, part) == Number::ok;
                    places = static_cast<int>(q - dot);
                    exact = exact && places <= 18;
                }
            }
            if (exact && *q != 'e' && *q != 'E') {
                if (static_cast<double>(whole) * powers[places] <= 9007199254740992.0) {
                    const uint64_t digits = whole * static_cast<uint64_t>(powers[places]) + part;
                    if (digits <= (uint64_t{1} << 53)) {
                        const double x = static_cast<double>(digits) / powers[places];
                        value = negative ? -x : x;
                        p = q;
                        return Number::ok;
                    }
                }
            }
        }
    }
    return read_general(p, end, value);
}

// Prints a number at `to` (32 bytes must be free) and returns the end. A float always looks like one: 5.0, not 5.
template <class T>
char* print_number(char* to, T value) {
    if constexpr (std::is_integral_v<T>) {
        return std::to_chars(to, to + 32, value).ptr;
    } else {
        char* end = nullptr;
#if defined(__cpp_lib_to_chars)
        end = std::to_chars(to, to + 32, value).ptr;
#else
        for (int digits = std::numeric_limits<T>::digits10; !end; ++digits) {
            const int length = std::snprintf(to, 32, "%.*g", digits, static_cast<double>(value));
            T back = std::is_same_v<T, float> ? std::strtof(to, nullptr) : static_cast<T>(std::strtod(to, nullptr));
            if (back == value || digits >= std::numeric_limits<T>::max_digits10) end = to + length;
        }
#endif
        for (const char* p = to; p < end; ++p)
            if (*p == '.' || *p == 'e' || *p == 'n' || *p == 'i') return end;
        *end++ = '.';
        *end++ = '0';
        return end;
    }
}

}  // namespace steppe::text
