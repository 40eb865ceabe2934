// What of a program Orrery cannot look into.
#pragma once

#include <string>

#include "program_lookup.hpp"

namespace orrery::cli {

/// A line for those who run a program with objects in it that `orrery cc` did not build: their
/// names, and what that means.  Empty where there are none, and for scenarios.
[[nodiscard]] std::string foreign_objects_text(const FoundProgram& program);

}  // namespace orrery::cli
