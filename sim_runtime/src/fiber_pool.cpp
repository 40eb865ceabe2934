#include "fiber_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <boost/context/stack_context.hpp>
#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/operations.hpp>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/stacks_again.hpp>

#include "address_sanitizer.hpp"
#include "debugger_stops.hpp"

namespace orrery::detail {
namespace {

constexpr std::size_t stacks_per_slab = 64;
// Wide, so that a large frame does not step over it into the next stack; odd, so that the tops of
// stacks spread over the sets of caches.
constexpr std::size_t guard_pages = 17;
// Each guard splits a mapping, and the kernel allows some 65,000 of them: beyond this many
// stacks only the slabs are guarded.
constexpr std::size_t guarded_slabs_max = 256;
// Boost.Fiber aligns its record at the top of a stack to 256 bytes.
constexpr std::size_t colour_step_bytes = 256;
constexpr std::size_t cache_colours = 16;

/// Boost.Fiber's scheduler must be told who runs, but here the machine decides: it resumes
/// contexts itself, and the algorithm only keeps the dispatcher, which ends terminated fibers.
class Resigned final : public boost::fibers::algo::algorithm {
 public:
  void awakened(boost::fibers::context* context) noexcept override {
    if (context->is_context(boost::fibers::type::dispatcher_context)) {
      dispatcher_ = context;
    } else {
      main_ = context;
    }
  }
  boost::fibers::context* pick_next() noexcept override {
    auto* const next = main_ != nullptr ? main_ : dispatcher_;
    (main_ != nullptr ? main_ : dispatcher_) = nullptr;
    return next;
  }
  [[nodiscard]] bool has_ready_fibers() const noexcept override { return main_ != nullptr; }
  void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}
  void notify() noexcept override {}

 private:
  boost::fibers::context* dispatcher_ = nullptr;
  boost::fibers::context* main_ = nullptr;
};

void install_algorithm_once() {
  thread_local const bool installed = [] {
    boost::fibers::use_scheduling_algorithm<Resigned>();
    return true;
  }();
  static_cast<void>(installed);
}

void fiber_main(Fiber* self, const Fiber* host) {
  entered_stack(self->fake_stack);
  while (self->body != nullptr) self->body(self->argument);
  // Boost.Fiber takes it from here and resumes the host, who ended this fiber.
  leaving_stack(&self->fake_stack, host->stack_bottom, host->stack_bytes);
}

/// Those that a function leaves as they were, and where it is: a frame that stays until the fiber
/// goes on can be unwound from here.
[[gnu::always_inline]] inline void keep_registers(OrreryDebuggerRegisters& registers) {
  asm volatile(
      "movq %%rbx, 0(%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%r12, 16(%0)\n\t"
      "movq %%r13, 24(%0)\n\t"
      "movq %%r14, 32(%0)\n\t"
      "movq %%r15, 40(%0)\n\t"
      "movq %%rsp, 48(%0)\n\t"
      "leaq 0f(%%rip), %%rax\n\t"
      "movq %%rax, 56(%0)\n"
      "0:"
      :
      : "r"(&registers)
      : "rax", "memory");
}

/// The newest of this thread, for whoever takes over its stacks.
thread_local FiberPool* newest_pool = nullptr;
thread_local bool takes_over = false;

void find_host_stack(Fiber& host) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &host.stack_bottom, &host.stack_bytes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

/// Hands one ready-made stack to Boost.Fiber; stacks are never returned to the system one by one.
class FiberPool::StackAllocator {
 public:
  StackAllocator(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.size = bytes_;
    context.sp = base_ + bytes_;
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}

 private:
  std::byte* base_;
  std::size_t bytes_;
};

// At the first free place from a fixed one on, so that a program's locals lie at the same addresses
// in every process; anywhere, if something is in the way.  Above the program and its heap, as on
// real cores: the C++ library compares where texts lie, to know whether one is part of the other.
void* FiberPool::map_slab(std::size_t bytes) {
  constexpr std::uintptr_t first_place = 0x6800'0000'0000;
  constexpr int tries_max = 64;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  const std::uintptr_t next =
      slabs_.empty() ? first_place
                     : reinterpret_cast<std::uintptr_t>(slabs_.back().base) + slabs_.back().bytes;
  for (std::uintptr_t i = 0; i < tries_max; ++i) {
    void* const memory = mmap(reinterpret_cast<void*>(next + i * bytes), bytes,
                              PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != MAP_FAILED || errno != EEXIST) return memory;
  }
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

void FiberPool::begin_run() {
  idle_.insert(idle_.end(), released_.begin(), released_.end());
  released_.clear();
  keeps_released_ = false;
  // The first task gets the first stack, as in the first run.
  const auto is_higher = [](const Fiber* a, const Fiber* b) {
    return a->stack_bottom > b->stack_bottom;
  };
  if (!std::ranges::is_sorted(idle_, is_higher)) std::ranges::sort(idle_, is_higher);
}

FiberPool::FiberPool(std::size_t stack_bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  guard_bytes_ = guard_pages * page_bytes;
  stack_bytes_ = (stack_bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (stack_bytes_ < 4 * page_bytes) stack_bytes_ = 4 * page_bytes;
  install_algorithm_once();
  host_.context = boost::intrusive_ptr<boost::fibers::context>(boost::fibers::context::active());
  find_host_stack(host_);
  if (takes_over && newest_pool != nullptr && newest_pool->stack_bytes_ == stack_bytes_) {
    newest_pool->begin_run();  // its own is over: stacks that it kept are idle, too
    idle_ = newest_pool->idle_;
  }
  newest_pool = this;
}

FiberPool::~FiberPool() {
  if (newest_pool == this) newest_pool = nullptr;
  // Boost.Fiber keeps a list of all its contexts: each must end by itself before its stack goes.
  for (const auto& fiber : fibers_) {
    fiber->body = nullptr;
    host_.context->get_scheduler()->schedule(host_.context.get());  // to whom the ended one goes
    switch_to(host_, *fiber);
    forget_stack(fiber->fake_stack, fiber->stack_bottom, fiber->stack_bytes, host_.stack_bottom,
                 host_.stack_bytes);
    fiber->context.reset();
  }
  boost::this_fiber::yield();  // lets the dispatcher drop the last of them
  host_.context.reset();
  for (const auto& slab : slabs_) {
    forget_memory(slab.base, slab.bytes);
    munmap(slab.base, slab.bytes);
  }
}

void FiberPool::add_slab() {
  const std::size_t stride = stack_bytes_ + guard_bytes_;
  const std::size_t bytes = stride * stacks_per_slab;
  void* const memory = map_slab(bytes);
  if (memory == MAP_FAILED) {
    throw UsageError(
        fmt::format("no memory for another {} stacks of {} bytes: {}", stacks_per_slab,
                    stack_bytes_, std::strerror(errno)),
        "stacks",
        "use fewer tasks or a smaller --stack-size, or raise vm.max_map_count and the limit on "
        "virtual memory");
  }
  auto* const base = static_cast<std::byte*>(memory);
  mprotect(base, guard_bytes_, PROT_NONE);
  for (std::size_t i = stacks_per_slab; i-- > 0;) {
    free_stacks_.push_back(base + i * stride + guard_bytes_);
  }
  slabs_.push_back({base, bytes});
}

bool FiberPool::is_in_guard(const Fiber& fiber, std::uintptr_t address) const {
  const auto bottom = reinterpret_cast<std::uintptr_t>(fiber.stack_bottom);
  return address < bottom && address >= bottom - guard_bytes_;
}

Fiber& FiberPool::create() {
  if (free_stacks_.empty()) add_slab();
  auto fiber = std::make_unique<Fiber>();
  fiber->stack_bottom = free_stacks_.back();
  fiber->stack_bytes = stack_bytes_;
  free_stacks_.pop_back();
  // Only now: most programs need few of a slab's stacks.
  if (slabs_.size() <= guarded_slabs_max) {
    mprotect(static_cast<std::byte*>(fiber->stack_bottom) - guard_bytes_, guard_bytes_, PROT_NONE);
  }
  // Stacks that all ended at one offset in their pages would fight for a few lines of the caches.
  const std::size_t colour_bytes = fibers_.size() % cache_colours * colour_step_bytes;
  // Boost.Context visits the new stack already here, and leaves frames there: they must not lie in
  // the fake stack of whoever runs now.
  void* fake_stack = nullptr;
  leaving_stack(&fake_stack, fiber->stack_bottom, fiber->stack_bytes);
  fiber->context = boost::fibers::make_worker_context(
      boost::fibers::launch::post,
      StackAllocator(static_cast<std::byte*>(fiber->stack_bottom), stack_bytes_ - colour_bytes),
      fiber_main, fiber.get(), &host_);
  entered_stack(fake_stack);
  boost::fibers::context::active()->attach(fiber->context.get());
  fibers_.push_back(std::move(fiber));
  return *fibers_.back();
}

Fiber& FiberPool::acquire(void (*body)(void*), void* argument) {
  Fiber* fiber = nullptr;
  if (released_.size() > released_max) {
    fiber = released_.front();
    released_.pop_front();
  } else if (idle_.empty()) {
    fiber = &create();
  } else {
    fiber = idle_.back();
    idle_.pop_back();
  }
  fiber->body = body;
  fiber->argument = argument;
  fiber->suspended = {};
  return *fiber;
}

void FiberPool::switch_to(Fiber& from, Fiber& target) {
  leaving_stack(&from.fake_stack, target.stack_bottom, target.stack_bytes);
  if (is_debugged()) keep_registers(from.suspended);
  target.context->resume();
  entered_stack(from.fake_stack);
}

}  // namespace orrery::detail

namespace orrery {

void take_over_stacks() {
  detail::takes_over = true;
}

}  // namespace orrery
