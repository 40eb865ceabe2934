#include "place_resolver.hpp"

#include <algorithm>

#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery::detail {

FindingPlace resolve_place(std::uintptr_t program_counter) {
  // What is read from a file stays true for as long as the process lives: kept from run to run.
  static thread_local Symbolizer symbolizer;
  const auto& frames = symbolizer.resolve(program_counter).frames;
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

}  // namespace orrery::detail
