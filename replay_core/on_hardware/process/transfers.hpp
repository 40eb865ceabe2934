// What goes through a descriptor to others.
#pragma once

#include <cstddef>

#include <sys/types.h>

namespace orrery::on_hardware {

/// Something that is read from a descriptor, or written to it.
struct Transfer {
  int file;
  bool is_reading;
  std::size_t bytes;
  bool never_waits = false;    ///< whatever its descriptor does
  const void* into = nullptr;  ///< where the first bytes go that a timer gives
};

/// Where threads are recorded; null elsewhere.
struct TransferOrder {
  using Execute = ssize_t (*)(void* context);
  /// Does it after all transfers through the same pipe that have been done so far, and keeps that
  /// order.
  ssize_t (*do_in_order)(const Transfer& transfer, Execute execute, void* context);
  /// Does it wait for others, in an order that is kept?
  bool (*waits_in_order)(const Transfer& transfer);
  /// A descriptor leads to where another one does.
  void (*copied)(int from, int to);
};
extern TransferOrder transfer_order;

template <typename Execute>
ssize_t transferred(const Transfer& transfer, Execute execute) {
  if (transfer_order.do_in_order == nullptr) return execute();
  return transfer_order.do_in_order(
      transfer, [](void* context) { return (*static_cast<Execute*>(context))(); }, &execute);
}

inline bool waits_in_order(const Transfer& transfer) {
  return transfer_order.waits_in_order != nullptr && transfer_order.waits_in_order(transfer);
}

}  // namespace orrery::on_hardware
