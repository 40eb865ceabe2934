#include "sanitizer_preload.hpp"

#include <cstdlib>
#include <vector>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/sanitizer_runtime.hpp>

#include "become.hpp"
#include "loader_preload.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

[[noreturn]] void begin_anew(const SanitizerRuntime& runtime) {
  const std::string wanted = preloading_first(runtime.path.string());
  setenv(former_preload_variable, asked_to_preload().c_str(), 1);
  setenv(preload_variable, wanted.c_str(), 1);
  std::vector<std::string> command = own_words();
  command.front() = own_path();
  become(command);
}

}  // namespace

void load_sanitizer_of(const std::string& path) {
  const auto runtime = sanitizer_runtime_of(path);
  if (!runtime) return;
  const bool is_second_try = restore_preload();
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
