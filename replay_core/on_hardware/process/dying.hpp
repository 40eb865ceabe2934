// The last words of this process.
#pragma once

namespace orrery::on_hardware {

/// They go into a file beside this one, which is the rank's or the first thread's.
void begin_last_words(const char* spool_path);

/// An `assert` has failed.
void note_failed_assert(const char* expression, const char* file, unsigned line,
                        const char* function);

/// It dies of this signal, now: leaves it, and which functions of the program are being called.  In
/// handlers of signals, too.
void leave_last_words(int signal, bool is_own);
/// It did not.
void take_back_last_words();

}  // namespace orrery::on_hardware
