// Files that the system makes up when they are read: below /proc and /sys.
#pragma once

namespace orrery::on_hardware {

/// A program has opened such a file, perhaps, by a call that returns to `caller`.  What is in it is
/// another text each time that somebody looks: the program gets the one that is kept.
void keep_made_up(const void* caller, int from, const char* path, int flags, int file);

}  // namespace orrery::on_hardware
