// The older family, where a compiler calls it: each is sequentially consistent.
#include "atomic_hooks.hpp"

using namespace orrery::hooks;

#define ORRERY_SYNC_UPDATE(bytes, type, name, kind)                                        \
  ORRERY_HOOK(type, "__sync_fetch_and_" #name "_" #bytes, sync_fetch_and_##name##_##bytes, \
              (volatile void* address, type operand)) {                                    \
    return update<kind, type>(address, operand, __ATOMIC_SEQ_CST, ORRERY_CALLER);          \
  }                                                                                        \
  ORRERY_HOOK(type, "__sync_" #name "_and_fetch_" #bytes, sync_##name##_and_fetch_##bytes, \
              (volatile void* address, type operand)) {                                    \
    return updated<kind, type>(address, operand, __ATOMIC_SEQ_CST, ORRERY_CALLER);         \
  }

#define ORRERY_SYNC_ATOMICS(bytes, type)                                                          \
  ORRERY_HOOK(bool, "__sync_bool_compare_and_swap_" #bytes, sync_bool_compare_##bytes,            \
              (volatile void* address, type expected, type desired)) {                            \
    return compare_exchange<type>(address, expected, desired, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, \
                                  ORRERY_CALLER);                                                 \
  }                                                                                               \
  ORRERY_HOOK(type, "__sync_val_compare_and_swap_" #bytes, sync_val_compare_##bytes,              \
              (volatile void* address, type expected, type desired)) {                            \
    compare_exchange<type>(address, expected, desired, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST,        \
                           ORRERY_CALLER);                                                        \
    return expected;                                                                              \
  }                                                                                               \
  ORRERY_HOOK(type, "__sync_lock_test_and_set_" #bytes, sync_lock_test_and_set_##bytes,           \
              (volatile void* address, type value)) {                                             \
    return update<ORRERY_ATOMIC_EXCHANGE, type>(address, value, __ATOMIC_ACQUIRE, ORRERY_CALLER); \
  }                                                                                               \
  ORRERY_HOOK(void, "__sync_lock_release_" #bytes, sync_lock_release_##bytes,                     \
              (volatile void* address)) {                                                         \
    store<type>(address, 0, __ATOMIC_RELEASE, ORRERY_CALLER);                                     \
  }                                                                                               \
  ORRERY_SYNC_UPDATE(bytes, type, add, ORRERY_ATOMIC_ADD)                                         \
  ORRERY_SYNC_UPDATE(bytes, type, sub, ORRERY_ATOMIC_SUB)                                         \
  ORRERY_SYNC_UPDATE(bytes, type, and, ORRERY_ATOMIC_AND)                                         \
  ORRERY_SYNC_UPDATE(bytes, type, or, ORRERY_ATOMIC_OR)                                           \
  ORRERY_SYNC_UPDATE(bytes, type, xor, ORRERY_ATOMIC_XOR)                                         \
  ORRERY_SYNC_UPDATE(bytes, type, nand, ORRERY_ATOMIC_NAND)

ORRERY_SYNC_ATOMICS(1, std::uint8_t)
ORRERY_SYNC_ATOMICS(2, std::uint16_t)
ORRERY_SYNC_ATOMICS(4, std::uint32_t)
ORRERY_SYNC_ATOMICS(8, std::uint64_t)
ORRERY_SYNC_ATOMICS(16, Wide)
