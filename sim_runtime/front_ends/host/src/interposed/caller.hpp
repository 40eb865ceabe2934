// Where a function of the C library's has been called.
#pragma once

#include <cstdint>

/// The instruction behind the call of the function that this stands in: no function of ours could
/// tell who has called that one.
#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
