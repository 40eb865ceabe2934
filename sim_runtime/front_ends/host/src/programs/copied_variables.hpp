// Variables of libraries that the linker has moved into an executable.
#pragma once

#include <vector>

#include "program_file.hpp"

struct link_map;

namespace orrery::host {

/// Where an executable has, within its own variables, those of libraries that it shares with the
/// host (`stdout`, `environ`, `std::cout`): all libraries use them there.  In order.
[[nodiscard]] std::vector<AddressRange> copied_variables(const link_map& executable);

}  // namespace orrery::host
