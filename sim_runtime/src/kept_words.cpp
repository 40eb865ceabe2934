#include <orrery/sim_runtime/kept_words.hpp>

#include "machine.hpp"

namespace orrery {

bool keeps_word_at(Address address) {
  detail::Machine* const machine = detail::Machine::current();
  return machine != nullptr && machine->program_accesses().keeps_word(address);
}

}  // namespace orrery
