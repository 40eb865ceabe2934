// What gcc calls with -fno-inline-atomics, and both compilers for 16 bytes: libatomic's functions
// for one size each.
#include "atomic_hooks.hpp"

using namespace orrery::hooks;

#define ORRERY_SIZED_UPDATE(bytes, type, name, kind)                                   \
  ORRERY_HOOK(type, "__atomic_fetch_" #name "_" #bytes, atomic_fetch_##name##_##bytes, \
              (volatile void* address, type operand, int order)) {                     \
    return update<kind, type>(address, operand, order, ORRERY_CALLER);                 \
  }                                                                                    \
  ORRERY_HOOK(type, "__atomic_" #name "_fetch_" #bytes, atomic_##name##_fetch_##bytes, \
              (volatile void* address, type operand, int order)) {                     \
    return updated<kind, type>(address, operand, order, ORRERY_CALLER);                \
  }

#define ORRERY_SIZED_ATOMICS(bytes, type)                                                     \
  ORRERY_HOOK(type, "__atomic_load_" #bytes, atomic_load_##bytes,                             \
              (const volatile void* address, int order)) {                                    \
    return load<type>(address, order, ORRERY_CALLER);                                         \
  }                                                                                           \
  ORRERY_HOOK(void, "__atomic_store_" #bytes, atomic_store_##bytes,                           \
              (volatile void* address, type value, int order)) {                              \
    store<type>(address, value, order, ORRERY_CALLER);                                        \
  }                                                                                           \
  ORRERY_HOOK(type, "__atomic_exchange_" #bytes, atomic_exchange_##bytes,                     \
              (volatile void* address, type value, int order)) {                              \
    return update<ORRERY_ATOMIC_EXCHANGE, type>(address, value, order, ORRERY_CALLER);        \
  }                                                                                           \
  ORRERY_HOOK(                                                                                \
      bool, "__atomic_compare_exchange_" #bytes, atomic_compare_##bytes,                      \
      (volatile void* address, type* expected, type desired, int order, int failure_order)) { \
    return compare_exchange<type>(address, *expected, desired, order, failure_order,          \
                                  ORRERY_CALLER);                                             \
  }                                                                                           \
  ORRERY_HOOK(bool, "__atomic_test_and_set_" #bytes, atomic_test_and_set_##bytes,             \
              (volatile void* address, int order)) {                                          \
    return update<ORRERY_ATOMIC_EXCHANGE, type>(address, 1, order, ORRERY_CALLER) != 0;       \
  }                                                                                           \
  ORRERY_SIZED_UPDATE(bytes, type, add, ORRERY_ATOMIC_ADD)                                    \
  ORRERY_SIZED_UPDATE(bytes, type, sub, ORRERY_ATOMIC_SUB)                                    \
  ORRERY_SIZED_UPDATE(bytes, type, and, ORRERY_ATOMIC_AND)                                    \
  ORRERY_SIZED_UPDATE(bytes, type, or, ORRERY_ATOMIC_OR)                                      \
  ORRERY_SIZED_UPDATE(bytes, type, xor, ORRERY_ATOMIC_XOR)                                    \
  ORRERY_SIZED_UPDATE(bytes, type, nand, ORRERY_ATOMIC_NAND)

ORRERY_SIZED_ATOMICS(1, std::uint8_t)
ORRERY_SIZED_ATOMICS(2, std::uint16_t)
ORRERY_SIZED_ATOMICS(4, std::uint32_t)
ORRERY_SIZED_ATOMICS(8, std::uint64_t)
ORRERY_SIZED_ATOMICS(16, Wide)
