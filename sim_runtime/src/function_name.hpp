// Names of functions as people write them.
#pragma once

#include <string>

namespace orrery::detail {

/// Demangles a linker's name, if it is one of C++, and takes off parameters, return type and
/// qualifiers: `_ZN4game4moveEi` gives `game::move`.
[[nodiscard]] std::string function_name(const std::string& linkage_name);

}  // namespace orrery::detail
