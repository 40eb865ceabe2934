#include "stack_walk.hpp"

#include <unwind.h>

namespace orrery::detail {

[[gnu::noinline]] void StackWalk::take() {
  count_ = 0;
  const auto look_at = [](_Unwind_Context* context, void* argument) {
    auto& walk = *static_cast<StackWalk*>(argument);
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || walk.count_ == frames_max) return _URC_END_OF_STACK;
    walk.add(address);
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(look_at, this);
}

}  // namespace orrery::detail
