// The rest of the interface: what compilers call besides, and what libraries tell a race detector.
#include "atomic_hooks.hpp"

using orrery::hooks::ask_host;
using orrery::hooks::is_attached;

namespace orrery::hooks {
namespace {

/// An atomic operation that touches nothing: it orders.
void order(OrreryAtomicKind kind, int memory_order, void* address, std::uintptr_t caller) {
  if (!is_attached()) return;
  OrreryAtomicOperation operation{};
  operation.kind = static_cast<std::uint8_t>(kind);
  operation.order = static_cast<std::uint8_t>(memory_order);
  operation.address = address;
  operation.pc = caller;
  ask_host(operation);
}

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

ORRERY_HOOK(void, "__tsan_init", tsan_init, ()) {}
ORRERY_HOOK(void, "__tsan_func_entry", tsan_func_entry, (void*)) {}
ORRERY_HOOK(void, "__tsan_func_exit", tsan_func_exit, ()) {}
ORRERY_HOOK(void, "__tsan_ignore_thread_begin", tsan_ignore_thread_begin, ()) {}
ORRERY_HOOK(void, "__tsan_ignore_thread_end", tsan_ignore_thread_end, ()) {}

ORRERY_HOOK(void, "__tsan_acquire", tsan_acquire, (void* address)) {
  order(ORRERY_ATOMIC_LOAD, __ATOMIC_ACQUIRE, address, ORRERY_CALLER);
}
ORRERY_HOOK(void, "__tsan_release", tsan_release, (void* address)) {
  order(ORRERY_ATOMIC_ADD, __ATOMIC_ACQ_REL, address, ORRERY_CALLER);
}

// libstdc++'s std::atomic<std::shared_ptr> tells of the lock that it makes of a bit.  The atomics
// of that bit order as much.
ORRERY_HOOK(void, "__tsan_mutex_create", tsan_mutex_create, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_destroy", tsan_mutex_destroy, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_pre_lock", tsan_mutex_pre_lock, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_post_lock", tsan_mutex_post_lock, (void*, unsigned, int)) {}
ORRERY_HOOK(int, "__tsan_mutex_pre_unlock", tsan_mutex_pre_unlock, (void*, unsigned)) {
  return 0;
}
ORRERY_HOOK(void, "__tsan_mutex_post_unlock", tsan_mutex_post_unlock, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_pre_signal", tsan_mutex_pre_signal, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_post_signal", tsan_mutex_post_signal, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_pre_divert", tsan_mutex_pre_divert, (void*, unsigned)) {}
ORRERY_HOOK(void, "__tsan_mutex_post_divert", tsan_mutex_post_divert, (void*, unsigned)) {}
