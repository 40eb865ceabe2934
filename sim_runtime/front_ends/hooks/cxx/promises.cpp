// Promises that are kept when their thread ends (`std::promise::set_value_at_thread_exit`).
//
// The C++ library says itself then that the value is there, by an atomic that no compiler of ours
// has seen, while those who wait look at it in the program's own code.  So it is told here: each
// image is linked with `--wrap` for the function that has the library do that.
#include <cstdint>
#include <future>
#include <memory>

#include "atomic_hooks.hpp"

namespace {

using State = std::__future_base::_State_baseV2;
using MakeReady = State::_Make_ready;

/// At the thread's end: as the library would, but for the atomic.
void make_ready(void* promised) {
  const std::unique_ptr<MakeReady> own(static_cast<MakeReady*>(promised));
  const std::shared_ptr<State> state = own->_M_shared_state.lock();
  if (state == nullptr) return;
  constexpr std::uint32_t somebody_waits = 0x8000'0000;
  auto* const status = reinterpret_cast<std::uint32_t*>(&state->_M_status._M_data);
  const auto before = orrery::hooks::update<ORRERY_ATOMIC_EXCHANGE, std::uint32_t>(
      status, static_cast<std::uint32_t>(State::_Status::__ready), __ATOMIC_RELEASE, ORRERY_CALLER);
  if ((before & somebody_waits) != 0) state->_M_status._M_futex_notify_all(status);
}

}  // namespace

extern "C" {
void orrery_real_make_ready_set(MakeReady* promised) __asm__(
    "__real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");
void orrery_make_ready_set(MakeReady* promised) __asm__(
    "__wrap__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");
}

/// Has the library do something with it when the thread ends: that, instead of its own.
void orrery_make_ready_set(MakeReady* promised) {
  orrery_real_make_ready_set(promised);
  promised->_M_cb = make_ready;
}
