#include <algorithm>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/variable_places.hpp>

#include "careful_access.hpp"
#include "machine.hpp"

namespace orrery {

VariablePlace place_of(ObjectId object) {
  const detail::Machine* const machine = detail::Machine::current();
  if (machine == nullptr) return {};
  const std::vector<detail::ObjectName>& objects = machine->objects();
  // Who asks has just heard of it: it is one of the last.
  const auto found =
      std::find_if(objects.rbegin(), objects.rend(),
                   [object](const detail::ObjectName& one) { return one.id == object; });
  if (found == objects.rend()) return {};
  const std::string_view type = found->address != 0 ? found->type : "";
  return {.program_address = found->address,
          .value_address = found->value_address,
          .value_bytes = found->value_bytes,
          .is_atomic = type == "atomic",
          .is_hosts = found->is_hosts,
          .is_futex = type == "futex"};
}

std::uintptr_t program_counter_of(TaskId task) {
  const SourceLocation* const where = detail::Machine::current()->pending().operation(task).where;
  return where == nullptr ? 0 : where->program_counter;
}

std::uint64_t access_words_of(TaskId task) {
  return detail::Machine::current()->program_accesses().words(task);
}

std::optional<StackPlace> stack_place(std::uintptr_t address) {
  return detail::Machine::current()->stack_place(address);
}

void keep_ended_stacks() {
  detail::Machine::current()->fibers().keep_released();
}

std::uint64_t value_at(const VariablePlace& place) {
  return detail::careful_load(reinterpret_cast<const void*>(place.value_address),
                              place.value_bytes);
}

void put_value(const VariablePlace& place, std::uint64_t value) {
  detail::careful_store(reinterpret_cast<void*>(place.value_address), place.value_bytes, value);
}

}  // namespace orrery
