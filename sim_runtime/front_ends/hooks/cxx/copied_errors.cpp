// Errors of the C++ library that are copied (`std::runtime_error`, `std::logic_error`, and all that
// are built on them).
//
// Copies have one text in common, which the library counts by atomics that no compiler of ours has
// seen: which thread gives the text back would be in no order.  So where a host is attached each
// copy has a text of its own.  Nobody can tell: a text cannot be changed, and ends at its first
// zero.
#include <new>
#include <stdexcept>
#include <utility>

#include "atomic_hooks.hpp"

namespace {

template <typename Error>
void copy(Error* self, const Error& other) {
  new (self) Error(other.Error::what());
}

template <typename Error>
Error* assign(Error* self, const Error& other) {
  Error own_text(other.Error::what());
  return &(*self = std::move(own_text));
}

}  // namespace

#define ORRERY_COPY(symbol, error)                                          \
  ORRERY_WRAP(void, symbol, (std::error * self, const std::error* other)) { \
    if (orrery::hooks::is_attached()) return copy(self, *other);            \
    real_##symbol(self, other);                                             \
  }
#define ORRERY_ASSIGN(symbol, error)                                               \
  ORRERY_WRAP(std::error*, symbol, (std::error * self, const std::error* other)) { \
    if (orrery::hooks::is_attached()) return assign(self, *other);                 \
    return real_##symbol(self, other);                                             \
  }

ORRERY_COPY(_ZNSt11logic_errorC1ERKS_, logic_error)
ORRERY_COPY(_ZNSt11logic_errorC2ERKS_, logic_error)
ORRERY_ASSIGN(_ZNSt11logic_erroraSERKS_, logic_error)
ORRERY_COPY(_ZNSt13runtime_errorC1ERKS_, runtime_error)
ORRERY_COPY(_ZNSt13runtime_errorC2ERKS_, runtime_error)
ORRERY_ASSIGN(_ZNSt13runtime_erroraSERKS_, runtime_error)
