// Timers that programs read from a descriptor, by the virtual clock.
#pragma once

#include <memory>

#include <sys/timerfd.h>

#include "open_file.hpp"

namespace orrery::host {

/// `flags` as `timerfd_create` has them; null with `errno`.
[[nodiscard]] std::shared_ptr<OpenFile> make_timer(int clock, int flags);
/// As `timerfd_settime` and `timerfd_gettime`; of other files -1 with EINVAL.
int set_timer(OpenFile& file, int flags, const itimerspec& time, itimerspec* before);
int get_timer(OpenFile& file, itimerspec& time);

}  // namespace orrery::host
