// A lock that no function of the C library takes part in: those are recorded.
#pragma once

#include <sched.h>

namespace orrery::on_hardware {

/// For what is rare and short.  With `std::lock_guard`.
class OwnLock {
 public:
  void lock() {
    while (__atomic_exchange_n(&is_locked_, true, __ATOMIC_ACQUIRE)) sched_yield();
  }
  void unlock() { __atomic_store_n(&is_locked_, false, __ATOMIC_RELEASE); }

 private:
  bool is_locked_ = false;
};

}  // namespace orrery::on_hardware
