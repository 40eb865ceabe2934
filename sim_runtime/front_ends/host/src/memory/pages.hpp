// Pages of memory, as the system maps them.
#pragma once

#include <cstddef>

namespace orrery::host {

constexpr std::size_t page_bytes = 4096;

}  // namespace orrery::host
