#include "atomic_execution.hpp"

#include <cstddef>
#include <cstring>

namespace orrery::host {
namespace {

__extension__ using Wide = unsigned __int128;

template <typename T>
T load(const void* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

template <typename T>
void store(void* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

// By loads of the size itself: a wide one just after narrow stores would have to wait for them.
std::uint64_t image_of(const void* bytes, std::size_t size) {
  if (bytes == nullptr || size == 0) return 0;
  switch (size) {
    case 1: return load<std::uint8_t>(bytes);
    case 2: return load<std::uint16_t>(bytes);
    case 4: return load<std::uint32_t>(bytes);
    default: break;
  }
  if (size >= sizeof(std::uint64_t)) return load<std::uint64_t>(bytes);
  std::uint64_t image = 0;
  std::memcpy(&image, bytes, size);
  return image;
}

template <typename T>
T computed(std::uint8_t kind, T old, T operand) {
  switch (kind) {
    case ORRERY_ATOMIC_ADD: return static_cast<T>(old + operand);
    case ORRERY_ATOMIC_SUB: return static_cast<T>(old - operand);
    case ORRERY_ATOMIC_AND: return static_cast<T>(old & operand);
    case ORRERY_ATOMIC_OR: return static_cast<T>(old | operand);
    case ORRERY_ATOMIC_XOR: return static_cast<T>(old ^ operand);
    default: return static_cast<T>(~(old & operand));
  }
}

// `value` may be where `operand` is.
template <typename T>
void execute_as(OrreryAtomicOperation& operation) {
  const T old = load<T>(operation.address);
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: store(operation.value, old); return;
    case ORRERY_ATOMIC_STORE: store(operation.address, load<T>(operation.operand)); return;
    case ORRERY_ATOMIC_EXCHANGE:
      store(operation.address, load<T>(operation.operand));
      store(operation.value, old);
      return;
    case ORRERY_ATOMIC_COMPARE_EXCHANGE:
      operation.has_succeeded = old == load<T>(operation.value) ? 1 : 0;
      if (operation.has_succeeded != 0) {
        store(operation.address, load<T>(operation.operand));
      } else {
        store(operation.value, old);
      }
      return;
    default: break;
  }
  const T now = computed(operation.kind, old, load<T>(operation.operand));
  store(operation.value, old);
  store(operation.address, now);
}

// What has the size of no number is only moved.  `value` may be where `operand` is.
void exchange_bytes(OrreryAtomicOperation& operation) {
  auto* const place = static_cast<std::byte*>(operation.address);
  auto* const value = static_cast<std::byte*>(operation.value);
  const auto* const operand = static_cast<const std::byte*>(operation.operand);
  for (std::size_t i = 0; i < operation.size_bytes; ++i) {
    const std::byte old = place[i];
    place[i] = operand[i];
    value[i] = old;
  }
}

void execute_on_bytes(OrreryAtomicOperation& operation) {
  const std::size_t size = operation.size_bytes;
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: std::memcpy(operation.value, operation.address, size); return;
    case ORRERY_ATOMIC_STORE: std::memcpy(operation.address, operation.operand, size); return;
    case ORRERY_ATOMIC_EXCHANGE: return exchange_bytes(operation);
    default: break;
  }
  operation.has_succeeded = std::memcmp(operation.address, operation.value, size) == 0 ? 1 : 0;
  if (operation.has_succeeded != 0) {
    std::memcpy(operation.address, operation.operand, size);
  } else {
    std::memcpy(operation.value, operation.address, size);
  }
}

}  // namespace

std::uint64_t value_to_write(const OrreryAtomicOperation& operation) {
  const bool is_known =
      operation.kind == ORRERY_ATOMIC_STORE || operation.kind == ORRERY_ATOMIC_COMPARE_EXCHANGE;
  return is_known ? image_of(operation.operand, operation.size_bytes) : 0;
}

void execute(OrreryAtomicOperation& operation) {
  switch (operation.size_bytes) {
    case 0: return;  // it only orders
    case sizeof(std::uint8_t): return execute_as<std::uint8_t>(operation);
    case sizeof(std::uint16_t): return execute_as<std::uint16_t>(operation);
    case sizeof(std::uint32_t): return execute_as<std::uint32_t>(operation);
    case sizeof(std::uint64_t): return execute_as<std::uint64_t>(operation);
    case sizeof(Wide): return execute_as<Wide>(operation);
    default: return execute_on_bytes(operation);
  }
}

bool will_write(const OrreryAtomicOperation& operation) {
  if (operation.kind == ORRERY_ATOMIC_COMPARE_EXCHANGE) {
    return std::memcmp(operation.address, operation.value, operation.size_bytes) == 0;
  }
  return operation.kind != ORRERY_ATOMIC_LOAD;
}

bool has_written(const OrreryAtomicOperation& operation) {
  if (operation.kind == ORRERY_ATOMIC_COMPARE_EXCHANGE) return operation.has_succeeded != 0;
  return operation.kind != ORRERY_ATOMIC_LOAD;
}

std::uint64_t value_seen(const OrreryAtomicOperation& operation) {
  return image_of(operation.address, operation.size_bytes);
}

}  // namespace orrery::host
