// Which program this process runs.
#pragma once

#include <string>

namespace orrery::on_hardware {

/// What a log has to know of it: the path, the build id in hexadecimal, the directory, then the
/// words of the command line without the first, each ended by a zero byte.
[[nodiscard]] std::string describe_own_program();

}  // namespace orrery::on_hardware
