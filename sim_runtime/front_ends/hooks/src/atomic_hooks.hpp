// What all the functions for atomics come to: the processor's operation, or a call of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include <orrery_hooks.h>

// The image's slot: see orrery_hooks.h.
extern "C" [[gnu::visibility("hidden")]] OrreryHooks* orrery_hooks_slot;

// A function of the image under a name that the compiler keeps for itself.
#define ORRERY_HOOK(result, symbol, name, parameters) \
  extern "C" result name parameters __asm__(symbol);  \
  result name parameters
// For an image that is linked with `--wrap=NAME`: `__wrap_NAME`, and before it the declaration of
// `__real_NAME`.
#define ORRERY_WRAP(result, name, parameters)                        \
  extern "C" result real_##name parameters __asm__("__real_" #name); \
  ORRERY_HOOK(result, "__wrap_" #name, wrap_##name, parameters)
#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace orrery::hooks {

__extension__ using Wide = unsigned __int128;

inline bool is_attached() {
  return __builtin_expect(static_cast<long>(orrery_hooks_slot != nullptr), 0) != 0;
}

/// Hands the operation to the host.
[[gnu::visibility("hidden")]] void ask_host(OrreryAtomicOperation& operation);

template <typename T>
[[gnu::noinline, gnu::cold]] T ask_host(OrreryAtomicKind kind, const volatile void* address,
                                        T operand, int order, std::uintptr_t caller) {
  T value{};
  OrreryAtomicOperation operation{};
  operation.kind = static_cast<std::uint8_t>(kind);
  operation.order = static_cast<std::uint8_t>(order);
  operation.size_bytes = sizeof(T);
  operation.address = const_cast<void*>(address);
  operation.operand = &operand;
  operation.value = &value;
  operation.pc = caller;
  ask_host(operation);
  return value;
}

template <typename T>
[[gnu::noinline, gnu::cold]] bool ask_host_to_compare(const volatile void* address, T& expected,
                                                      T desired, int order, int failure_order,
                                                      std::uintptr_t caller) {
  OrreryAtomicOperation operation{};
  operation.kind = ORRERY_ATOMIC_COMPARE_EXCHANGE;
  operation.order = static_cast<std::uint8_t>(order);
  operation.failure_order = static_cast<std::uint8_t>(failure_order);
  operation.size_bytes = sizeof(T);
  operation.address = const_cast<void*>(address);
  operation.operand = &desired;
  operation.value = &expected;
  operation.pc = caller;
  ask_host(operation);
  return operation.has_succeeded != 0;
}

template <typename T>
volatile T* as(const volatile void* address) {
  return static_cast<volatile T*>(const_cast<volatile void*>(address));
}

// On x86 the orders differ for stores only.  Of 16 bytes there is but one instruction, which no
// compiler writes for `__atomic_*`.
template <typename T>
bool compare_natively(const volatile void* address, T& expected, T desired) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    const T wanted = expected;
    expected = __sync_val_compare_and_swap(as<T>(address), wanted, desired);
    return expected == wanted;
  } else {
    return __atomic_compare_exchange_n(as<T>(address), &expected, desired, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
}

template <typename T>
T load_natively(const volatile void* address) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    T value{};
    compare_natively<T>(address, value, value);
    return value;
  } else {
    return __atomic_load_n(as<T>(address), __ATOMIC_SEQ_CST);
  }
}

template <typename T>
T computed(OrreryAtomicKind kind, T old, T operand) {
  switch (kind) {
    case ORRERY_ATOMIC_ADD: return static_cast<T>(old + operand);
    case ORRERY_ATOMIC_SUB: return static_cast<T>(old - operand);
    case ORRERY_ATOMIC_AND: return static_cast<T>(old & operand);
    case ORRERY_ATOMIC_OR: return static_cast<T>(old | operand);
    case ORRERY_ATOMIC_XOR: return static_cast<T>(old ^ operand);
    case ORRERY_ATOMIC_NAND: return static_cast<T>(~(old & operand));
    default: return operand;
  }
}

template <OrreryAtomicKind Kind, typename T>
T update_natively(const volatile void* address, T operand) {
  if constexpr (sizeof(T) < sizeof(Wide)) {
    volatile T* const variable = as<T>(address);
    constexpr int order = __ATOMIC_SEQ_CST;
    if constexpr (Kind == ORRERY_ATOMIC_EXCHANGE) {
      return __atomic_exchange_n(variable, operand, order);
    } else if constexpr (Kind == ORRERY_ATOMIC_ADD) {
      return __atomic_fetch_add(variable, operand, order);
    } else if constexpr (Kind == ORRERY_ATOMIC_SUB) {
      return __atomic_fetch_sub(variable, operand, order);
    } else {
      T old = load_natively<T>(address);
      while (!compare_natively<T>(address, old, computed(Kind, old, operand))) {
      }
      return old;
    }
  } else {
    T old = load_natively<T>(address);
    while (!compare_natively<T>(address, old, computed(Kind, old, operand))) {
    }
    return old;
  }
}

template <typename T>
T load(const volatile void* address, int order, std::uintptr_t caller) {
  if (is_attached()) return ask_host<T>(ORRERY_ATOMIC_LOAD, address, T{}, order, caller);
  return load_natively<T>(address);
}

template <typename T>
void store(volatile void* address, T value, int order, std::uintptr_t caller) {
  if (is_attached()) {
    ask_host<T>(ORRERY_ATOMIC_STORE, address, value, order, caller);
  } else if constexpr (sizeof(T) == sizeof(Wide)) {
    update_natively<ORRERY_ATOMIC_EXCHANGE, T>(address, value);
  } else if (order == __ATOMIC_SEQ_CST) {
    __atomic_store_n(as<T>(address), value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n(as<T>(address), value, __ATOMIC_RELEASE);
  }
}

/// Returns what was there before.
template <OrreryAtomicKind Kind, typename T>
T update(volatile void* address, T operand, int order, std::uintptr_t caller) {
  if (is_attached()) return ask_host<T>(Kind, address, operand, order, caller);
  return update_natively<Kind, T>(address, operand);
}

/// Returns what is there afterwards.
template <OrreryAtomicKind Kind, typename T>
T updated(volatile void* address, T operand, int order, std::uintptr_t caller) {
  return computed(Kind, update<Kind, T>(address, operand, order, caller), operand);
}

/// As in the standard: `expected` is what was there, if it was something else.
template <typename T>
bool compare_exchange(volatile void* address, T& expected, T desired, int order, int failure_order,
                      std::uintptr_t caller) {
  if (is_attached()) {
    return ask_host_to_compare<T>(address, expected, desired, order, failure_order, caller);
  }
  return compare_natively<T>(address, expected, desired);
}

}  // namespace orrery::hooks
