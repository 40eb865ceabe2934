// Signals in words.
#pragma once

#include <string>

namespace orrery {

/// `SIGSEGV (Segmentation fault)`.
[[nodiscard]] std::string signal_text(int signal);

}  // namespace orrery
