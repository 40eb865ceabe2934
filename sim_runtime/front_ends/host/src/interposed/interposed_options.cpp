// getopt, whose variables an ordinary executable has copies of.
#include <getopt.h>

#include "programs/program_copy.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::original;
using orrery::host::running;

namespace {

template <typename Function, typename... Arguments>
int with_options(Function next, Arguments... arguments) {
  if (running().user == nullptr) return next(arguments...);
  const auto& variables = running().user->copy().variables();
  variables.options_to_library();
  const int result = next(arguments...);
  variables.options_from_library();
  return result;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_options;
const char orrery_interposed_options = 0;

int getopt(int count, char* const* words, const char* letters) noexcept {
  return with_options(original<&getopt>("getopt"), count, words, letters);
}

int getopt_long(int count, char* const* words, const char* letters, const option* names,
                int* index) noexcept {
  return with_options(original<&getopt_long>("getopt_long"), count, words, letters, names, index);
}

int getopt_long_only(int count, char* const* words, const char* letters, const option* names,
                     int* index) noexcept {
  return with_options(original<&getopt_long_only>("getopt_long_only"), count, words, letters, names,
                      index);
}
}
