// Calls of the system's that a program makes by their numbers.
#pragma once

#include <array>

namespace orrery::on_hardware {

/// Keeps what a call has come to that returns to `caller`, where the function of the C library that
/// makes it would; returns `result`.
long keep_bare_call(const void* caller, long number, const std::array<long, 6>& arguments,
                    long result);

}  // namespace orrery::on_hardware
