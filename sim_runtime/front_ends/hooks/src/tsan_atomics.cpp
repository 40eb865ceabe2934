// The atomics of `-fsanitize=thread`.
#include "atomic_hooks.hpp"

using namespace orrery::hooks;

#define ORRERY_TSAN_UPDATE(bits, type, name, kind)                         \
  ORRERY_HOOK(type, "__tsan_atomic" #bits "_" #name, tsan_##name##_##bits, \
              (volatile void* address, type operand, int order)) {         \
    return update<kind, type>(address, operand, order, ORRERY_CALLER);     \
  }

#define ORRERY_TSAN_COMPARE(bits, type, name)                                                      \
  ORRERY_HOOK(                                                                                     \
      int, "__tsan_atomic" #bits "_compare_exchange_" #name, tsan_compare_##name##_##bits,         \
      (volatile void* address, type* expected, type desired, int order, int failure_order)) {      \
    return static_cast<int>(                                                                       \
        compare_exchange<type>(address, *expected, desired, order, failure_order, ORRERY_CALLER)); \
  }

#define ORRERY_TSAN_ATOMICS(bits, type)                                                      \
  ORRERY_HOOK(type, "__tsan_atomic" #bits "_load", tsan_load_##bits,                         \
              (const volatile void* address, int order)) {                                   \
    return load<type>(address, order, ORRERY_CALLER);                                        \
  }                                                                                          \
  ORRERY_HOOK(void, "__tsan_atomic" #bits "_store", tsan_store_##bits,                       \
              (volatile void* address, type value, int order)) {                             \
    store<type>(address, value, order, ORRERY_CALLER);                                       \
  }                                                                                          \
  ORRERY_TSAN_UPDATE(bits, type, exchange, ORRERY_ATOMIC_EXCHANGE)                           \
  ORRERY_TSAN_UPDATE(bits, type, fetch_add, ORRERY_ATOMIC_ADD)                               \
  ORRERY_TSAN_UPDATE(bits, type, fetch_sub, ORRERY_ATOMIC_SUB)                               \
  ORRERY_TSAN_UPDATE(bits, type, fetch_and, ORRERY_ATOMIC_AND)                               \
  ORRERY_TSAN_UPDATE(bits, type, fetch_or, ORRERY_ATOMIC_OR)                                 \
  ORRERY_TSAN_UPDATE(bits, type, fetch_xor, ORRERY_ATOMIC_XOR)                               \
  ORRERY_TSAN_UPDATE(bits, type, fetch_nand, ORRERY_ATOMIC_NAND)                             \
  ORRERY_TSAN_COMPARE(bits, type, strong)                                                    \
  ORRERY_TSAN_COMPARE(bits, type, weak)                                                      \
  ORRERY_HOOK(                                                                               \
      type, "__tsan_atomic" #bits "_compare_exchange_val", tsan_compare_val_##bits,          \
      (volatile void* address, type expected, type desired, int order, int failure_order)) { \
    compare_exchange<type>(address, expected, desired, order, failure_order, ORRERY_CALLER); \
    return expected;                                                                         \
  }

ORRERY_TSAN_ATOMICS(8, std::uint8_t)
ORRERY_TSAN_ATOMICS(16, std::uint16_t)
ORRERY_TSAN_ATOMICS(32, std::uint32_t)
ORRERY_TSAN_ATOMICS(64, std::uint64_t)
ORRERY_TSAN_ATOMICS(128, Wide)

// No visible operation, as in simulation each step is seen by all; but it orders.
ORRERY_HOOK(void, "__tsan_atomic_thread_fence", tsan_thread_fence, (int order)) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!is_attached()) return;
  OrreryAtomicOperation operation{};
  operation.kind = ORRERY_ATOMIC_FENCE;
  operation.order = static_cast<std::uint8_t>(order);
  operation.pc = ORRERY_CALLER;
  ask_host(operation);
}
ORRERY_HOOK(void, "__tsan_atomic_signal_fence", tsan_signal_fence, (int)) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
