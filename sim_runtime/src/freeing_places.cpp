#include <orrery/sim_runtime/freeing_places.hpp>

#include "machine.hpp"

namespace orrery {

bool frees_memory_at(ProgramCounter counter) {
  detail::Machine* const machine = detail::Machine::current();
  return machine != nullptr && machine->program_accesses().frees_at(counter);
}

std::uint64_t free_count() {
  detail::Machine* const machine = detail::Machine::current();
  return machine != nullptr ? machine->program_accesses().free_count() : 0;
}

}  // namespace orrery
