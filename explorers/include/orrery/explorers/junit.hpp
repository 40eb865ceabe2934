// Reports for continuous integration.
#pragma once

#include <string>

#include <orrery/explorers/report.hpp>

namespace orrery {

/// The report as JUnit XML: one test suite, with a test case for each finding (failed), for runs at
/// a limit (error), or one that passed.  Holds no wall-clock value; bytes that XML 1.0 cannot hold
/// are written as `?`.
[[nodiscard]] std::string junit_xml(const Report& report);

/// Writes it to `path`, under a temporary name first.  Throws `UsageError` if it cannot.
void write_junit(const Report& report, const std::string& path);

}  // namespace orrery
