#include "loader_preload.hpp"

#include <cstdlib>

namespace orrery::cli {

std::string asked_to_preload() {
  const char* const text = std::getenv(preload_variable);
  return text == nullptr ? "" : text;
}

std::string preloading_first(const std::string& library) {
  const std::string now = asked_to_preload();
  return now.empty() ? library : library + ":" + now;
}

bool restore_preload() {
  const char* const kept = std::getenv(former_preload_variable);
  if (kept == nullptr) return false;
  const std::string former = kept;
  unsetenv(former_preload_variable);
  if (former.empty()) {
    unsetenv(preload_variable);
  } else {
    setenv(preload_variable, former.c_str(), 1);
  }
  return true;
}

}  // namespace orrery::cli
