// Locales that threads share: the C++ library counts who has one, and whoever lets go last destroys
// it, with what the program has put into it.  What the library itself has of one (in streams, which
// are a thread's own) it has beside the program, whose thread has it too.
#include <cstdint>
#include <locale>

#include "atomic_hooks.hpp"

namespace {

/// `locale` does no more with what it is; the library finds that it is the only one to have that,
/// or that it is the classic one, which nobody counts.
void let_go(std::locale& locale, std::uintptr_t caller) {
  std::locale::_Impl* const classic = std::locale::classic()._M_impl;
  if (locale._M_impl == classic) return;
  const auto before = orrery::hooks::update<ORRERY_ATOMIC_SUB, std::uint32_t>(
      &locale._M_impl->_M_refcount, 1, __ATOMIC_ACQ_REL, caller);
  if (before == 1) {
    locale._M_impl->_M_refcount = 1;
  } else {
    locale._M_impl = classic;
  }
}

}  // namespace

ORRERY_WRAP(void, _ZNSt6localeD1Ev, (std::locale * self)) {
  if (orrery::hooks::is_attached()) let_go(*self, ORRERY_CALLER);
  real__ZNSt6localeD1Ev(self);
}

ORRERY_WRAP(std::locale*, _ZNSt6localeaSERKS_, (std::locale * self, const std::locale* other)) {
  const bool is_same = self->_M_impl == other->_M_impl;
  if (orrery::hooks::is_attached() && !is_same) let_go(*self, ORRERY_CALLER);
  return real__ZNSt6localeaSERKS_(self, other);
}
