#include "place_resolver.hpp"

#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery::detail {

FindingPlace resolve_place(std::uintptr_t program_counter) {
  // What is read from a file stays true for as long as the process lives: kept from run to run.
  static thread_local Symbolizer symbolizer;
  const SourceFrame& frame = symbolizer.resolve(program_counter).innermost();
  FindingPlace place;
  place.file = frame.file;
  place.line = frame.line;
  place.function = frame.function;
  return place;
}

}  // namespace orrery::detail
