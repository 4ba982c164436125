"""Seeded bugs of cpp/rows: lists sorted by weight; see core_mutations.py."""

from core_mutations import Mutation

ROWS = [
    Mutation(
        "by weight: edges of a short list that share a key stay as they come",
        "packed",
        "rows/by_weight.hpp",
        "insert(out, out + degree);",
        ";",
    ),
    Mutation(
        "by weight: edges of a short list that share a key share a place",
        "packed",
        "rows/by_weight.hpp",
        "(bits & ~uint32_t{kShort - 1}) | static_cast<uint32_t>(i)",
        "bits & ~uint32_t{kShort - 1}",
    ),
    Mutation(
        "by weight: the last edge of a short list has no part in the order",
        "packed",
        "rows/by_weight.hpp",
        "j < degree",
        "j + 1 < degree",
    ),
    Mutation(
        "by weight: lists just short enough are not sorted at all",
        "packed",
        "rows/by_weight.hpp",
        "if (degree > kShort) continue;",
        "if (degree >= kShort) continue;",
    ),
    Mutation(
        "by weight in registers: the network lacks a step",
        "packed",
        "rows/by_weight_avx512.hpp",
        "step<7>(mine), step<2>(mine), step<1>(mine);",
        "step<7>(mine), step<1>(mine);",
    ),
    Mutation(
        "by weight in registers: four registers are merged as if they were two pairs",
        "packed",
        "rows/by_weight_avx512.hpp",
        "_mm512_max_epu32(mine, back[i])",
        "kCount == 4 ? back[i] : _mm512_max_epu32(mine, back[i])",
    ),
    Mutation(
        "by weight in registers: edges that share a key stay as they come",
        "packed",
        "rows/by_weight_avx512.hpp",
        "repair(out, out + n);",
        ";",
    ),
    Mutation(
        "by weight in registers: keys shared across two registers go unseen",
        "packed",
        "rows/by_weight_avx512.hpp",
        "i ? keys[i - 1] : _mm512_set1_epi32(-1)",
        "_mm512_set1_epi32(-1)",
    ),
    Mutation(
        "by weight in registers: -0.0 is above all other weights",
        "packed",
        "rows/by_weight_avx512.hpp",
        "_mm512_add_pd(_mm512_castsi512_pd(x), _mm512_setzero_pd())",
        "_mm512_castsi512_pd(x)",
    ),
    Mutation(
        "by weight in registers: the last place of a list is not written",
        "packed",
        "rows/by_weight_avx512.hpp",
        "kWords * (degree - 16 * kFull)",
        "kWords * (degree - 16 * kFull - (degree > 16 * kFull + 1))",
    ),
]
