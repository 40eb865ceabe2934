#include "program_objects.hpp"

#include <algorithm>

#include "machine.hpp"

namespace orrery::detail {

void ProgramObjects::put(const void* address, const char* type,
                         std::unique_ptr<SynchronizationObject> object) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[slot_of(address)];
  if (slot.address == nullptr) ++used_;
  if (slot.object != nullptr) retired_.push_back(std::move(slot.object));
  slot = {address, type, std::move(object)};
}

void ProgramObjects::name_after(const SynchronizationObject& object, const void* address) {
  object.machine_->newest_object().address = reinterpret_cast<std::uintptr_t>(address);
}

void ProgramObjects::grow() {
  constexpr std::size_t least = 64;
  std::vector<Slot> before(std::max(least, 2 * slots_.size()));
  before.swap(slots_);
  mask_ = slots_.size() - 1;
  for (Slot& slot : before) {
    if (slot.address != nullptr) slots_[slot_of(slot.address)] = std::move(slot);
  }
}

void ProgramObjects::forget(const void* address) {
  Slot& slot = slots_[slot_of(address)];
  if (slot.object == nullptr) return;
  retired_.push_back(std::move(slot.object));
  slot.type = nullptr;  // the address stays: others may lie behind it
}

void ProgramObjects::clear() {
  retired_.clear();
  if (used_ == 0) return;
  // A program that once had many would make every run after it slow.
  slots_ = std::vector<Slot>(1);
  mask_ = 0;
  used_ = 0;
}

}  // namespace orrery::detail
