#include "ample_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include "machine.hpp"

namespace orrery::detail {
namespace {

// Reading a program's lines takes 150 KiB.
constexpr std::size_t ample_bytes = std::size_t{1} << 20U;

bool is_on_own_stack() {
  auto* const machine = Machine::current();
  if (machine == nullptr || !machine->has_running()) return true;
  const Fiber& fiber = *machine->running().fiber;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here - reinterpret_cast<std::uintptr_t>(fiber.stack_bottom) < fiber.stack_bytes;
}

}  // namespace

void call_with_room(const std::function<void()>& function) {
  if (is_on_own_stack()) return function();
  using Context = boost::context::fiber;
  Context other(std::allocator_arg, boost::context::protected_fixedsize_stack(ample_bytes),
                [&function](Context&& back) {
                  function();
                  return std::move(back);
                });
  std::move(other).resume();
}

}  // namespace orrery::detail
