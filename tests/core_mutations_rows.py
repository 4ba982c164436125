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
]
