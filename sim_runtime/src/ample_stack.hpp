// Room for what needs much of it, wherever it is called from.
#pragma once

#include <functional>

namespace orrery::detail {

/// Calls a function that neither throws nor gives way, on a stack of its own if the program has put
/// the running task on one that may be small: a handler's, or a coroutine's.
void call_with_room(const std::function<void()>& function);

}  // namespace orrery::detail
