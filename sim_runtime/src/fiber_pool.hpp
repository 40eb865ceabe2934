// Fibers and their stacks, reused from run to run.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include <boost/fiber/context.hpp>

#include <orrery/sim_runtime/debugger.h>

namespace orrery::detail {

/// One fiber of ours: a loop that runs one task body after the other, parked in between.
struct Fiber {
  boost::intrusive_ptr<boost::fibers::context> context;
  void (*body)(void*) = nullptr;  ///< what to run when it is resumed; null: end
  void* argument = nullptr;
  void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;           ///< AddressSanitizer's, while it is suspended
  OrreryDebuggerRegisters suspended{};  ///< where it is then; kept for a debugger that asked
};

/// Makes fibers on stacks that are cut from large mappings, and keeps them when they are done.
/// The stack of a parked fiber stays touched, so that the next run starts warm.
class FiberPool {
 public:
  explicit FiberPool(std::size_t stack_bytes);
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  /// All fibers are idle: from here on they are given out as in the first run, stack by stack.
  void begin_run();
  /// A parked fiber that runs `body(argument)` when it is next resumed.  Throws `UsageError` if
  /// the system refuses more stacks.
  Fiber& acquire(void (*body)(void*), void* argument);
  /// Gives a fiber back; its body is about to return, or has been left for good.
  void release(Fiber& fiber) {
    keeps_released_ ? released_.push_back(&fiber) : idle_.push_back(&fiber);
  }
  /// Until the next run stacks of fibers that are given back stay as they are, but where there are
  /// very many of them.
  void keep_released() { keeps_released_ = true; }
  /// Does the address lie in the guard below this fiber's stack?
  [[nodiscard]] bool is_in_guard(const Fiber& fiber, std::uintptr_t address) const;

  /// Switches from the running fiber (or the host's own stack) to `target`; returns when somebody
  /// switches back.
  void switch_to(Fiber& from, Fiber& target);
  /// The fiber that stands for the stack on which the simulation was started.
  [[nodiscard]] Fiber& host() { return host_; }

 private:
  struct Slab {
    std::byte* base = nullptr;
    std::size_t bytes = 0;
  };
  class StackAllocator;
  static constexpr std::size_t released_max = 1024;
  [[nodiscard]] void* map_slab(std::size_t bytes);
  void add_slab();
  Fiber& create();

  std::size_t stack_bytes_;
  std::size_t guard_bytes_;
  std::vector<Slab> slabs_;
  std::vector<std::byte*> free_stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::deque<Fiber*> released_;  // whose stacks are kept; the oldest first
  bool keeps_released_ = false;
  Fiber host_;
};

}  // namespace orrery::detail
