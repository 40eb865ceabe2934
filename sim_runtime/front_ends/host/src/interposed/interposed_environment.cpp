// The environment: what a program asks for is an input of the run.
#include <cstdlib>

#include "files/user_files.hpp"
#include "ranks/next_function.hpp"

using orrery::host::FilesCall;
using orrery::host::InputNotes;
using orrery::host::original;
using orrery::host::running;

extern "C" {

extern const char orrery_interposed_environment;
const char orrery_interposed_environment = 0;

char* getenv(const char* name) noexcept {
  static const auto next = original<&getenv>("getenv");
  if (running().user != nullptr) {
    const std::int32_t rank = running().user->rank();
    const FilesCall call;
    auto& outside = call.files().outside();
    outside.notes().add(InputNotes::Kind::variable, name);
    if (char* const own = outside.variable_of(rank, name)) return own;
  }
  return next(name);
}

char* secure_getenv(const char* name) noexcept {
  return getenv(name);
}
}
