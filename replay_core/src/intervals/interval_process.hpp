// What processes of intervals have in common, whatever they begin with.
#pragma once

namespace orrery::detail {

/// Ends this process at once, whoever's stack this is.
[[noreturn]] void leave_process(int status);

}  // namespace orrery::detail
