#include <cstring>

#include <fmt/format.h>

#include <orrery/sim_runtime/signal_text.hpp>

namespace orrery {

std::string signal_text(int signal) {
  const char* const abbreviation = sigabbrev_np(signal);
  const char* const description = sigdescr_np(signal);
  if (abbreviation == nullptr || description == nullptr) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", abbreviation, description);
}

}  // namespace orrery
