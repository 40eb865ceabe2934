// What replayers ask of alternatives.
#pragma once

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// Is it about what happens next, rather than about messages, sleepers or requests?
inline bool is_step(const Alternative& alternative) {
  return alternative.asker == alternative.id;
}

}  // namespace orrery::detail
