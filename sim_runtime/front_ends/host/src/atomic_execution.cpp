#include "atomic_execution.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace orrery::host {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t image_of(const void* bytes, std::size_t size) {
  std::uint64_t image = 0;
  if (bytes != nullptr) std::memcpy(&image, bytes, std::min(size, sizeof image));
  return image;
}

Wide number_at(const void* bytes, std::size_t size) {
  Wide number = 0;
  if (bytes != nullptr) std::memcpy(&number, bytes, std::min(size, sizeof number));
  return number;
}

Wide computed(std::uint8_t kind, Wide old, Wide operand) {
  switch (kind) {
    case ORRERY_ATOMIC_ADD: return old + operand;
    case ORRERY_ATOMIC_SUB: return old - operand;
    case ORRERY_ATOMIC_AND: return old & operand;
    case ORRERY_ATOMIC_OR: return old | operand;
    case ORRERY_ATOMIC_XOR: return old ^ operand;
    default: return ~(old & operand);
  }
}

// `value` may be where `operand` is.
void exchange(OrreryAtomicOperation& operation) {
  auto* const place = static_cast<std::byte*>(operation.address);
  auto* const value = static_cast<std::byte*>(operation.value);
  const auto* const operand = static_cast<const std::byte*>(operation.operand);
  for (std::size_t i = 0; i < operation.size_bytes; ++i) {
    const std::byte old = place[i];
    place[i] = operand[i];
    value[i] = old;
  }
}

void compare_exchange(OrreryAtomicOperation& operation) {
  const std::size_t size = operation.size_bytes;
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
  const std::size_t size = operation.size_bytes;
  if (size == 0) return;  // it only orders
  switch (operation.kind) {
    case ORRERY_ATOMIC_LOAD: std::memcpy(operation.value, operation.address, size); return;
    case ORRERY_ATOMIC_STORE: std::memcpy(operation.address, operation.operand, size); return;
    case ORRERY_ATOMIC_EXCHANGE: exchange(operation); return;
    case ORRERY_ATOMIC_COMPARE_EXCHANGE: compare_exchange(operation); return;
    default: break;
  }
  const Wide old = number_at(operation.address, size);
  const Wide now = computed(operation.kind, old, number_at(operation.operand, size));
  std::memcpy(operation.value, &old, size);
  std::memcpy(operation.address, &now, size);
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
