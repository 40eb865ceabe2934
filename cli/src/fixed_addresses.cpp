#include "fixed_addresses.hpp"

#include <cstdlib>

#include <sys/personality.h>

#include "become.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

// Set in the process that was begun anew: once is enough.
constexpr const char* mark = "ORRERY_FIXED_ADDRESSES";
constexpr unsigned long only_ask = 0xffffffffUL;

}  // namespace

bool place_nothing_at_random() {
  const int now = personality(only_ask);
  if (now == -1) return false;
  if ((now & ADDR_NO_RANDOMIZE) != 0) return true;
  const auto wanted = static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE;
  return personality(wanted) != -1 && (personality(only_ask) & ADDR_NO_RANDOMIZE) != 0;
}

void fix_addresses() {
  const bool is_second_try = std::getenv(mark) != nullptr;
  unsetenv(mark);
  const int now = personality(only_ask);
  if (is_second_try || now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (!place_nothing_at_random()) return;
  setenv(mark, "1", 1);
  std::vector<std::string> command = own_words();
  command.front() = own_path();
  become(command);
}

}  // namespace orrery::cli
