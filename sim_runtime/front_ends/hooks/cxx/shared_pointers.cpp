// What the C++ library itself does with pointers that threads share.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "atomic_hooks.hpp"

namespace {

/// Variables that lie in the same place of a line have the same lock.  Other bits of an address may
/// be others in a replay, as where a stack lies, and so would be who waits for whom.
const void* key_of(const void* variable) {
  constexpr std::uintptr_t line_bytes = 64;
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(variable) % line_bytes);
}

/// The paths of a std::filesystem::filesystem_error, which its copies have in common: who holds
/// them is counted by headers, in code of the program, but for the end of an error, which is the
/// library's.  So that is counted here, and the library finds that nobody else has them, or that
/// there are none.
void let_go_of_paths(std::filesystem::filesystem_error& error, std::uintptr_t caller) {
  std::_Sp_counted_base<>*& counted = error._M_impl._M_refcount._M_pi;
  if (counted == nullptr || !orrery::hooks::is_attached()) return;
  const auto before = orrery::hooks::update<ORRERY_ATOMIC_SUB, std::uint32_t>(
      &counted->_M_use_count, 1, __ATOMIC_ACQ_REL, caller);
  if (before == 1) {
    counted->_M_use_count = 1;
  } else {
    counted = nullptr;
  }
}

}  // namespace

// The free functions for atomic access to a `std::shared_ptr` have it locked meanwhile, by one of
// sixteen locks, which the library chooses by a hash of the address.
ORRERY_WRAP(void, _ZNSt10_Sp_lockerC1EPKv, (std::_Sp_locker * self, const void* variable)) {
  real__ZNSt10_Sp_lockerC1EPKv(self, orrery::hooks::is_attached() ? key_of(variable) : variable);
}

// A compare-exchange has what it expects locked, too, which nobody else may come to meanwhile
// anyhow.
ORRERY_WRAP(void, _ZNSt10_Sp_lockerC1EPKvS1_,
            (std::_Sp_locker * self, const void* variable, const void* expected)) {
  const bool is_attached = orrery::hooks::is_attached();
  real__ZNSt10_Sp_lockerC1EPKvS1_(self, is_attached ? key_of(variable) : variable,
                                  is_attached ? key_of(variable) : expected);
}

ORRERY_WRAP(void, _ZNSt10filesystem7__cxx1116filesystem_errorD1Ev,
            (std::filesystem::filesystem_error * self)) {
  let_go_of_paths(*self, ORRERY_CALLER);
  real__ZNSt10filesystem7__cxx1116filesystem_errorD1Ev(self);
}

ORRERY_WRAP(void, _ZNSt10filesystem7__cxx1116filesystem_errorD2Ev,
            (std::filesystem::filesystem_error * self)) {
  let_go_of_paths(*self, ORRERY_CALLER);
  real__ZNSt10filesystem7__cxx1116filesystem_errorD2Ev(self);
}
