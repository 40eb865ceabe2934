#include "library_races.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

struct LibraryRace {
  std::string_view scope;  ///< what the function's name has in it
  std::string_view why;
};
constexpr std::array<LibraryRace, 1> library_races{
    {{"_Sp_atomic",
      "std::atomic<std::shared_ptr> of libstdc++, whose load lets go of its lock with "
      "relaxed order"}}};

constexpr std::string_view beginning = "an access lies in ";
constexpr std::string_view behind_function = " of the library: ";

}  // namespace

std::string library_race_note(Symbolizer& symbolizer, std::span<const std::uintptr_t> counters) {
  for (const std::uintptr_t counter : counters) {
    if (counter == 0) continue;
    // Inlined functions of a library are no part of the stack that a report has.
    for (const SourceFrame& frame : symbolizer.resolve(counter).frames) {
      // What a library calls of the program, a destructor, is the program's.
      if (frame.file.find("/c++/") == std::string::npos) break;
      const auto known = std::ranges::find_if(library_races, [&](const LibraryRace& one) {
        return frame.function.find(one.scope) != std::string::npos;
      });
      if (known == library_races.end()) continue;
      return fmt::format(
          "{}{}{}{}: the race is the library's, and a line race:{} in a file for --suppressions "
          "leaves it out",
          beginning, frame.function, behind_function, known->why, known->scope);
    }
  }
  return {};
}

std::string_view function_in_library_note(std::string_view note) {
  const std::size_t end = note.find(behind_function);
  if (!note.starts_with(beginning) || end == std::string_view::npos) return {};
  return note.substr(beginning.size(), end - beginning.size());
}

}  // namespace orrery::detail
