// The synchronisation objects of unchanged programs, by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery::detail {

/// Which object of ours stands for the program's one at an address.  Objects live until the end of
/// the run, even if another takes their place: somebody may still wait there.
class ProgramObjects {
 public:
  /// The object at `address`, which is a `T`; made by `make()` if there is none, or one of another
  /// type (its memory is used anew).
  template <typename T, typename Make>
  T& at(const void* address, const Make& make) {
    if (T* const found = find<T>(address)) return *found;
    T* const made = make().release();
    name_after(*made, address);
    put(address, &type_tag<T>, std::unique_ptr<SynchronizationObject>(made));
    return *made;
  }
  /// Null if there is none of this type.
  template <typename T>
  [[nodiscard]] T* find(const void* address) const {
    const Slot& slot = slots_[slot_of(address)];
    return slot.type == &type_tag<T> ? static_cast<T*>(slot.object.get()) : nullptr;
  }
  /// Of whatever type; null if there is none.
  [[nodiscard]] SynchronizationObject* find_any(const void* address) const {
    return slots_[slot_of(address)].object.get();
  }
  void forget(const void* address);
  /// Ends all of them: between two runs.
  void clear();

 private:
  template <typename T>
  static constexpr char type_tag = 0;

  struct Slot {
    const void* address = nullptr;
    const char* type = nullptr;
    std::unique_ptr<SynchronizationObject> object;
  };
  static void name_after(const SynchronizationObject& object, const void* address);
  void put(const void* address, const char* type, std::unique_ptr<SynchronizationObject> object);
  void grow();
  /// Where it is, or would be.
  [[nodiscard]] std::size_t slot_of(const void* address) const {
    std::size_t at =
        (reinterpret_cast<std::uintptr_t>(address) * std::uint64_t{0x9e3779b97f4a7c15U} >> 32U) &
        mask_;
    while (slots_[at].address != nullptr && slots_[at].address != address) at = (at + 1) & mask_;
    return at;
  }

  std::vector<Slot> slots_{1};  // a power of two; at most half of them are in use
  std::size_t mask_ = 0;        // their number, less one
  std::vector<std::unique_ptr<SynchronizationObject>> retired_;
  std::size_t used_ = 0;
};

}  // namespace orrery::detail
