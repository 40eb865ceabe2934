// "Did you mean ...?": what a mistyped name was meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// How many letters must be inserted, left out, replaced, or swapped with their neighbour to get
/// from `a` to `b`; upper and lower case are one (the restricted Damerau distance).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The one of `names` that `wanted` was probably meant to be: the least edit distance, at most a
/// third of the longer name (and at least 1), or else the first that begins with `wanted`.  The
/// first of several equally near.  Empty when none is near.
[[nodiscard]] std::string nearest_name(std::string_view wanted,
                                       const std::vector<std::string>& names);

/// A hint for `UsageError`: `did you mean 'random'?`, or all the names when none is near:
/// `one of: random, pct, pos`.
///
///     throw UsageError("there is no strategy 'randon'", "--strategy",
///                      name_hint("randon", strategy_names()));
[[nodiscard]] std::string name_hint(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace orrery
