// UTF-8: whether bytes are text as Python takes it.
#pragma once
#include <cstdint>
#include <string_view>

namespace steppe::text {

// Whether these bytes are UTF-8 (the shortest form of every character, no surrogates) without NUL.
inline bool is_text(std::string_view bytes) {
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
    const auto* end = p + bytes.size();
    while (p < end) {
        const uint8_t lead = *p++;
        if (lead < 0x80) {
            if (!lead) return false;
            continue;
        }
        const int more = lead >= 0xc2 && lead < 0xe0   ? 1
                         : lead >= 0xe0 && lead < 0xf0 ? 2
                         : lead >= 0xf0 && lead < 0xf5 ? 3
                                                       : 0;
        if (!more || end - p < more) return false;
        // The second byte shows overlong forms, surrogates and what lies beyond the last character.
        const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (*p < low || *p > high) return false;
        for (int i = 1; i < more; ++i)
            if ((p[i] & 0xc0) != 0x80) return false;
        p += more;
    }
    return true;
}

}  // namespace steppe::text
