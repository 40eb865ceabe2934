#include "sanitizer_preload.hpp"

#include <cstdlib>
#include <vector>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/sanitizer_runtime.hpp>

#include "become.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

constexpr const char* preload = "LD_PRELOAD";
// Holds what LD_PRELOAD was, in the process that was begun anew.
constexpr const char* former_preload = "ORRERY_FORMER_LD_PRELOAD";

void restore_preload(const std::string& former) {
  unsetenv(former_preload);
  if (former.empty()) {
    unsetenv(preload);
  } else {
    setenv(preload, former.c_str(), 1);
  }
}

[[noreturn]] void begin_anew(const SanitizerRuntime& runtime) {
  const char* const before = std::getenv(preload);
  const std::string former = before == nullptr ? "" : before;
  const std::string wanted = runtime.path.string() + (former.empty() ? "" : ":" + former);
  setenv(former_preload, former.c_str(), 1);
  setenv(preload, wanted.c_str(), 1);
  std::vector<std::string> command = own_words();
  command.front() = own_path();
  become(command);
}

}  // namespace

void load_sanitizer_of(const std::string& path) {
  const auto runtime = sanitizer_runtime_of(path);
  if (!runtime) return;
  const char* const former = std::getenv(former_preload);
  const bool is_second_try = former != nullptr;
  if (is_second_try) restore_preload(former);
  if (runtime->is_loaded()) return;
  if (has_sanitizer_runtime()) {
    throw UsageError("the program needs " + runtime->name +
                         ", and this process has another runtime of AddressSanitizer's",
                     path,
                     "build both with one compiler, or leave that other one out of LD_PRELOAD");
  }
  if (is_second_try) {
    throw UsageError("the program needs " + runtime->name + ", which cannot be loaded", path,
                     "install it, or name its directory in LD_LIBRARY_PATH");
  }
  begin_anew(*runtime);
}

}  // namespace orrery::cli

// Asked for when AddressSanitizer's runtime starts; ASAN_OPTIONS come after.  A command that is
// built with it is watched as any other program.
#ifndef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  // Leaks: a rank that is left in the middle frees nothing.  One definition: each rank has its own.
  return "detect_leaks=0:detect_odr_violation=0:print_legend=0";
}
#endif
