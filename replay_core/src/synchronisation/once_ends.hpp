// What is done once, by the first who comes to it.
#pragma once

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Has it been done?  Whoever leaves it by an exception leaves it to the next one.
[[nodiscard]] inline bool is_done_once(const Event& event) {
  return event.kind == OperationKind::once_end && event.payload_hash == 0;
}

}  // namespace orrery::detail
