// What a simulated program asks for and cannot have.
#pragma once

#include <string>

namespace orrery::host {

/// Ends the run with an error of the caller's, at the line of the program that is being executed.
/// Returns only if no simulated program runs.
void refuse_call(const std::string& problem, const std::string& hint);

}  // namespace orrery::host
