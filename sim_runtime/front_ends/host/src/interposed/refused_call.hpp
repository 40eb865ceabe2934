// What a simulated program asks for and cannot have.
#pragma once

#include <string>

namespace orrery::host {

/// Ends the run with an error of the caller's, at the line of the program that is being executed.
/// Returns only if no simulated program runs.
void refuse_call(const std::string& problem, const std::string& hint);

/// The same for a raw system call that a simulated program cannot make; no effect for others.
void refuse_system_call(long number);

}  // namespace orrery::host
