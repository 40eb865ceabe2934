// Exceptions that threads share (`std::exception_ptr`, futures that throw, nested exceptions).
//
// The C++ library counts who holds one, and whoever lets go last destroys it; the atomics are the
// library's, which no compiler of ours has seen.  So what lets go is done here: each image is
// linked with `--wrap` for the library's functions that do (wrapped_cxx.list).  Who takes hold of
// one holds it already, or is alone with it: the order of these matters to nobody, and they stay
// the library's.
//
// Most exceptions end where they are caught, and no `std::exception_ptr` has ever held them.  Their
// end stays the library's, too: what is to be done at the end of a handler is in the exception's
// own header, and is made ours where it is first held, or thrown again.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>

#include <cxxabi.h>
#include <unwind.h>

#include "atomic_hooks.hpp"

namespace {

using Thrown = _Unwind_Exception;

/// What lies before an object that is thrown: in the library's unwind-cxx.h, of which this is part
/// of its binary interface, `__cxa_refcounted_exception`.
struct Header {
  int holders;
  alignas(Thrown) std::type_info* type;
  void (*destroy)(void*);
  void* handlers[2];  // of what is unexpected, and of the end
  void* next;
  int handler_count;
  int handler_switch;
  const void* action;
  const void* language_data;
  _Unwind_Ptr catch_place;
  void* adjusted;
  Thrown thrown;
};
static_assert(sizeof(Header) == 128 && offsetof(Header, destroy) == 24, "as in the library");

/// What is thrown in place of an object that is thrown again: `__cxa_dependent_exception`.
struct Dependent {
  void* object;
  char as_before[offsetof(Header, thrown) - offsetof(Header, type) - sizeof(void*)];
  Thrown thrown;
};
static_assert(offsetof(Dependent, thrown) == 80, "as in the library");

constexpr std::uint64_t gnu_class = 0x474e'5543'432b'2b00;            // "GNUCC++\0"
constexpr std::uint64_t gnu_dependent_class = 0x474e'5543'432b'2b01;  // "GNUCC++\1"

Header& header_of(void* object) {
  return static_cast<Header*>(object)[-1];
}

/// One who held the object does no more.
void let_go(void* object, std::uintptr_t caller) {
  Header& header = header_of(object);
  const auto before = orrery::hooks::update<ORRERY_ATOMIC_SUB, std::uint32_t>(
      &header.holders, 1, __ATOMIC_ACQ_REL, caller);
  if (before != 1) return;
  if (header.destroy != nullptr) header.destroy(object);
  abi::__cxa_free_exception(object);
}

/// The last handler of an exception is left.  The unwinder calls it, for the library.
void end_object(_Unwind_Reason_Code, Thrown* thrown) {
  let_go(thrown + 1, ORRERY_CALLER);
}

void end_dependent(_Unwind_Reason_Code, Thrown* thrown) {
  char* const begin = reinterpret_cast<char*>(thrown) - offsetof(Dependent, thrown);
  void* const object = reinterpret_cast<Dependent*>(begin)->object;
  abi::__cxa_free_dependent_exception(reinterpret_cast<abi::__cxa_dependent_exception*>(begin));
  let_go(object, ORRERY_CALLER);
}

/// Lets go of what it holds, which the library then finds empty.
void empty(std::exception_ptr& pointer, std::uintptr_t caller) {
  void* const object = pointer._M_exception_object;
  if (object == nullptr || !orrery::hooks::is_attached()) return;
  pointer._M_exception_object = nullptr;
  let_go(object, caller);
}

}  // namespace

ORRERY_WRAP(void*, __cxa_begin_catch, (void* thrown_by)) {
  auto* const thrown = static_cast<Thrown*>(thrown_by);
  if (orrery::hooks::is_attached() && thrown->exception_class == gnu_dependent_class) {
    thrown->exception_cleanup = end_dependent;
  }
  return real___cxa_begin_catch(thrown_by);
}

// The first to hold an exception that has been thrown handles it, and is alone with it.  (Where an
// object of a class is returned, the caller hands over a place for it, and gets that back.)
ORRERY_WRAP(std::exception_ptr*, _ZSt17current_exceptionv, (std::exception_ptr * place)) {
  const std::exception_ptr& held = *real__ZSt17current_exceptionv(place);
  void* const object = held._M_exception_object;
  if (object == nullptr || !orrery::hooks::is_attached()) return place;
  Thrown& thrown = header_of(object).thrown;
  if (thrown.exception_class == gnu_class && thrown.exception_cleanup != end_object) {
    thrown.exception_cleanup = end_object;
  }
  return place;
}

ORRERY_WRAP(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv,
            (std::exception_ptr * self)) {
  empty(*self, ORRERY_CALLER);
  real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(self);
}

ORRERY_WRAP(void, _ZNSt13__future_base12_Result_baseD2Ev,
            (std::__future_base::_Result_base * self)) {
  empty(self->_M_error, ORRERY_CALLER);
  real__ZNSt13__future_base12_Result_baseD2Ev(self);
}

ORRERY_WRAP(void, _ZNSt16nested_exceptionD2Ev, (std::nested_exception * self)) {
  empty(self->_M_ptr, ORRERY_CALLER);
  real__ZNSt16nested_exceptionD2Ev(self);
}

ORRERY_WRAP(void, _ZNSt16nested_exceptionD1Ev, (std::nested_exception * self)) {
  empty(self->_M_ptr, ORRERY_CALLER);
  real__ZNSt16nested_exceptionD1Ev(self);
}
