// Functions of a file by the names that people give them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace orrery::host {

/// Where the functions of that name begin, in the numbering of the ELF file: all overloads, and the
/// clones that the optimiser has made, but not the parts that it has split off as cold.  `name` is
/// one of C, or one of C++ with all namespaces and classes and without parameters.
[[nodiscard]] std::vector<std::uintptr_t> functions_named(std::span<const std::byte> file,
                                                          const std::string& name);

}  // namespace orrery::host
