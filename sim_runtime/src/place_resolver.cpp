#include "place_resolver.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <orrery/sim_runtime/symbolizer.hpp>
#include <orrery/sim_runtime/user_frames.hpp>

namespace orrery::detail {
namespace {

Symbolizer& symbolizer() {
  // What is read from a file stays true for as long as the process lives: kept from run to run.
  static thread_local Symbolizer of_this_process;
  return of_this_process;
}

}  // namespace

FindingPlace resolve_place(std::uintptr_t program_counter) {
  const auto& frames = symbolizer().resolve(program_counter).frames;
  const auto own = std::find_if(frames.begin(), frames.end(), [](const SourceFrame& frame) {
    return !frame.file.empty() && !is_library_file(frame.file);
  });
  const SourceFrame& frame = own != frames.end() ? *own : frames.front();
  FindingPlace place;
  place.file = frame.file;
  place.line = frame.line;
  place.function = frame.function;
  return place;
}

std::string resolve_thread_name(std::uintptr_t start_function) {
  static thread_local std::map<std::uintptr_t, std::string> names;
  const auto [entry, is_new] = names.try_emplace(start_function);
  if (is_new) entry->second = thread_name(symbolizer(), start_function);
  return entry->second;
}

std::vector<SourceFrame> resolve_stack(std::span<const std::uintptr_t> addresses) {
  return user_frames(symbolizer(), addresses);
}

void add_stack(FindingPlace& place, std::vector<SourceFrame> stack) {
  const bool is_own = !place.file.empty() && !is_library_file(place.file);
  if (!is_own && !stack.empty()) {
    place.file = stack.front().file;
    place.line = stack.front().line;
    place.function = stack.front().function;
  }
  // One function alone says nothing that the place does not.
  if (stack.size() > 1) place.stack = std::move(stack);
}

std::string resolve_variable(std::uintptr_t address) {
  return symbolizer().variable(address);
}

}  // namespace orrery::detail
