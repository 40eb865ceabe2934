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
  bool never_waits = false;  ///< whatever its descriptor does
};
using DoTransfer = ssize_t (*)(void* context);

/// Does it after all transfers through the same pipe that have been done so far, and keeps that
/// order; where threads are recorded.  Null elsewhere.
using DoInOrder = ssize_t (*)(const Transfer& transfer, DoTransfer execute, void* context);
extern DoInOrder do_in_order;

template <typename Execute>
ssize_t transferred(const Transfer& transfer, Execute execute) {
  if (do_in_order == nullptr) return execute();
  return do_in_order(
      transfer, [](void* context) { return (*static_cast<Execute*>(context))(); }, &execute);
}

}  // namespace orrery::on_hardware
