// libatomic's functions for objects of any size.
#include <cfenv>
#include <cstring>

#include "atomic_hooks.hpp"

using namespace orrery::hooks;

// All images of a process must take the same locks: so the loader finds one definition for all.
extern "C" {
[[gnu::visibility("default")]] extern volatile std::uint8_t orrery_atomic_locks[64 * 64];
volatile std::uint8_t orrery_atomic_locks[64 * 64];
}

namespace orrery::hooks {
namespace {

constexpr std::uintptr_t cache_line_bytes = 64;
constexpr std::uintptr_t lock_count = 64;

/// While it lives, nobody else is in such an operation on an object with the same lock.
class Lock {
 public:
  explicit Lock(const volatile void* address)
      : lock_(&orrery_atomic_locks[reinterpret_cast<std::uintptr_t>(address) / cache_line_bytes %
                                   lock_count * cache_line_bytes]) {
    while (__atomic_exchange_n(lock_, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~Lock() { __atomic_store_n(lock_, 0, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  volatile std::uint8_t* lock_;
};

bool is_lock_free(std::size_t size, const volatile void* address) {
  const bool is_power = size != 0 && (size & (size - 1)) == 0 && size <= sizeof(Wide);
  return is_power && reinterpret_cast<std::uintptr_t>(address) % size == 0;
}

OrreryAtomicOperation operation_of(OrreryAtomicKind kind, std::size_t size, volatile void* address,
                                   int order, std::uintptr_t caller) {
  OrreryAtomicOperation operation{};
  operation.kind = static_cast<std::uint8_t>(kind);
  operation.order = static_cast<std::uint8_t>(order);
  operation.size_bytes = static_cast<std::uint32_t>(size);
  operation.address = const_cast<void*>(address);
  operation.pc = caller;
  return operation;
}

/// Calls `function` with a value of the type that has this size.
template <typename Function>
void with_type(std::size_t size, const Function& function) {
  switch (size) {
    case 1: return function(std::uint8_t{});
    case 2: return function(std::uint16_t{});
    case 4: return function(std::uint32_t{});
    case 8: return function(std::uint64_t{});
    default: return function(Wide{});
  }
}

template <typename T>
T value_at(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

template <typename T>
void put_at(void* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

void* plain(volatile void* address) {
  return const_cast<void*>(address);
}

}  // namespace
}  // namespace orrery::hooks

ORRERY_HOOK(bool, "__atomic_is_lock_free", atomic_is_lock_free,
            (std::size_t size, const volatile void* address)) {
  return is_lock_free(size, address);
}

ORRERY_HOOK(void, "__atomic_load", atomic_load,
            (std::size_t size, volatile void* address, void* result, int order)) {
  if (is_attached()) {
    auto operation = operation_of(ORRERY_ATOMIC_LOAD, size, address, order, ORRERY_CALLER);
    operation.value = result;
    return ask_host(operation);
  }
  if (is_lock_free(size, address)) {
    return with_type(size, [&]<typename T>(T) { put_at(result, load_natively<T>(address)); });
  }
  const Lock lock(address);
  std::memcpy(result, plain(address), size);
}

ORRERY_HOOK(void, "__atomic_store", atomic_store,
            (std::size_t size, volatile void* address, const void* value, int order)) {
  if (is_attached()) {
    auto operation = operation_of(ORRERY_ATOMIC_STORE, size, address, order, ORRERY_CALLER);
    operation.operand = value;
    return ask_host(operation);
  }
  if (is_lock_free(size, address)) {
    return with_type(size, [&]<typename T>(T) {
      update_natively<ORRERY_ATOMIC_EXCHANGE, T>(address, value_at<T>(value));
    });
  }
  const Lock lock(address);
  std::memcpy(plain(address), value, size);
}

ORRERY_HOOK(void, "__atomic_exchange", atomic_exchange,
            (std::size_t size, volatile void* address, const void* value, void* result,
             int order)) {
  if (is_attached()) {
    auto operation = operation_of(ORRERY_ATOMIC_EXCHANGE, size, address, order, ORRERY_CALLER);
    operation.operand = value;
    operation.value = result;
    return ask_host(operation);
  }
  if (is_lock_free(size, address)) {
    return with_type(size, [&]<typename T>(T) {
      put_at(result, update_natively<ORRERY_ATOMIC_EXCHANGE, T>(address, value_at<T>(value)));
    });
  }
  const Lock lock(address);
  // `result` may be `value`.
  auto* const now = static_cast<unsigned char*>(plain(address));
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char old = now[i];
    now[i] = static_cast<const unsigned char*>(value)[i];
    static_cast<unsigned char*>(result)[i] = old;
  }
}

ORRERY_HOOK(bool, "__atomic_compare_exchange", atomic_compare_exchange,
            (std::size_t size, volatile void* address, void* expected, const void* desired,
             int order, int failure_order)) {
  if (is_attached()) {
    auto operation =
        operation_of(ORRERY_ATOMIC_COMPARE_EXCHANGE, size, address, order, ORRERY_CALLER);
    operation.failure_order = static_cast<std::uint8_t>(failure_order);
    operation.operand = desired;
    operation.value = expected;
    ask_host(operation);
    return operation.has_succeeded != 0;
  }
  bool has_succeeded = false;
  if (is_lock_free(size, address)) {
    with_type(size, [&]<typename T>(T) {
      T old = value_at<T>(expected);
      has_succeeded = compare_natively<T>(address, old, value_at<T>(desired));
      put_at(expected, old);
    });
    return has_succeeded;
  }
  const Lock lock(address);
  has_succeeded = std::memcmp(plain(address), expected, size) == 0;
  if (has_succeeded) {
    std::memcpy(plain(address), desired, size);
  } else {
    std::memcpy(expected, plain(address), size);
  }
  return has_succeeded;
}

// Of `_Atomic double x; x += 1.0`: the exceptions of the addition that counted.
ORRERY_HOOK(void, "__atomic_feraiseexcept", atomic_feraiseexcept, (int exceptions)) {
  // As libatomic does without libm: operations that raise them.
  volatile float zero = 0.0F;
  volatile float tiny = __FLT_MIN__;
  volatile float huge = __FLT_MAX__;
  volatile float result = 0.0F;
  if ((exceptions & FE_INVALID) != 0) result = zero / zero;
  if ((exceptions & FE_DIVBYZERO) != 0) result = 1.0F / zero;
  if ((exceptions & FE_OVERFLOW) != 0) result = huge * huge;
  if ((exceptions & FE_UNDERFLOW) != 0) result = tiny * tiny;
  if ((exceptions & FE_INEXACT) != 0) result = 1.0F / 3.0F * (1.0F + tiny);
  static_cast<void>(result);
}
