// Threading Building Blocks, where they hand work from one thread to another.
//
// Their library orders that by atomics of its own, which nobody sees: without what is here, all
// that a task reads of whoever spawned it would be a race.  So a spawned task is given a table of
// virtual functions of ours; who comes to execute it takes over what the spawner had done, and the
// task gets its own table back.  Memory that the library gives out again is new, and who has waited
// for a counter has read it.  The names are those of oneTBB's binary interface (2021 and later).
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <type_traits>
#include <unordered_map>

#include <dlfcn.h>

#include <orrery/network_model/usage_error.hpp>

#include "caller.hpp"
#include "machine.hpp"
#include "ranks/rank_context.hpp"

// With the library's layouts: only the beginnings matter.
namespace tbb::detail {
namespace d1 {
struct task {
  void** functions;
};
struct task_group_context;
struct task_arena_base;
struct execution_data;
struct small_object_pool;
struct wait_context {
  std::uint64_t version;
  std::uint64_t count;  // an atomic
};
}  // namespace d1
}  // namespace tbb::detail

using orrery::Event;
using orrery::ObjectId;
using orrery::Observer;
using orrery::OperationKind;
using orrery::TaskId;
using orrery::detail::Machine;
using orrery::host::guarded_runtime;
using orrery::host::HostScope;
using orrery::host::running;
using tbb::detail::d1::execution_data;
using tbb::detail::d1::small_object_pool;
using tbb::detail::d1::task;
using tbb::detail::d1::task_arena_base;
using tbb::detail::d1::task_group_context;
using tbb::detail::d1::wait_context;

namespace {

using Execute = task* (*)(task*, execution_data*);

// The library is the program's, which the loader does not find from here.
template <typename Function>
Function tbb_function(const char* name) {
  const HostScope ours;
  void* const library = dlopen("libtbb.so.12", RTLD_NOW | RTLD_NOLOAD);
  void* const function = library == nullptr ? nullptr : dlsym(library, name);
  orrery::detail::ensure(function != nullptr, "who calls a function of TBB has loaded libtbb");
  return reinterpret_cast<Function>(function);
}

template <typename Function>
Function found(Function& next, const char* name) {
  if (next == nullptr) next = tbb_function<Function>(name);
  return next;
}

bool is_watched() {
  const auto* const machine = Machine::current();
  return running().user != nullptr && machine != nullptr && machine->wants_accesses();
}

/// Tells those who order accesses, and nobody else: it is no operation.
void tell(OperationKind kind, std::uint32_t number) {
  auto& machine = *Machine::current();
  if (running().hooks != nullptr) running().hooks->tell_accesses();
  Event event;
  event.id = machine.running().current_id();
  event.kind = kind;
  event.object = ObjectId{TaskId{UINT32_MAX}, number};  // of no task's making
  machine.for_each_access_observer([&event](Observer& observer) { observer.on_event(event); });
}

// Of the table of a task: two destructors, `execute` and `cancel`; what a class adds comes behind.
constexpr std::size_t execute_slot = 2;
constexpr std::size_t cancel_slot = 3;
constexpr std::size_t slots_before = 2;  // the offset of the object, and its type
constexpr std::size_t slots = 4;

struct Table {
  void** original;
  std::array<void*, slots_before + slots> entries;
};

/// The tasks that wait to be executed.
class SpawnedTasks {
 public:
  void add(task& spawned) {
    const std::uint32_t number = ++last_number_;
    numbers_[&spawned] = number;
    spawned.functions = &table_of(spawned.functions).entries[slots_before];
    tell(OperationKind::once_end, number);
  }

  /// What it does by itself.
  Execute take(task& begun, std::size_t slot) {
    auto* const entries = begun.functions - slots_before;
    const auto table = std::find_if(tables_.begin(), tables_.end(), [entries](const Table& one) {
      return one.entries.data() == entries;
    });
    orrery::detail::ensure(table != tables_.end(), "a task with our table was spawned");
    begun.functions = table->original;
    const auto number = numbers_.find(&begun);
    if (number != numbers_.end()) {
      tell(OperationKind::once_begin, number->second);
      numbers_.erase(number);
    }
    return reinterpret_cast<Execute>(begun.functions[slot]);
  }

 private:
  static task* execute(task* self, execution_data* data);
  static task* cancel(task* self, execution_data* data);

  // Programs come and go: a table is good as long as it is what was copied.
  Table& table_of(void** original) {
    for (Table& table : tables_) {
      if (table.entries.data() + slots_before == original) return table;  // spawned twice
      if (table.original == original) return filled(table);
    }
    tables_.push_back({original, {}});
    return filled(tables_.back());
  }

  static Table& filled(Table& table) {
    std::memcpy(table.entries.data(), table.original - slots_before, sizeof table.entries);
    table.entries[slots_before + execute_slot] = reinterpret_cast<void*>(&execute);
    table.entries[slots_before + cancel_slot] = reinterpret_cast<void*>(&cancel);
    return table;
  }

  std::deque<Table> tables_;
  std::unordered_map<const task*, std::uint32_t> numbers_;
  std::uint32_t last_number_ = 0;
};

SpawnedTasks& spawned_tasks() {
  static constinit SpawnedTasks* tasks = nullptr;
  if (tasks == nullptr) tasks = new SpawnedTasks;
  return *tasks;
}

Execute taken(task* begun, std::size_t slot) {
  const HostScope ours;
  return spawned_tasks().take(*begun, slot);
}

task* SpawnedTasks::execute(task* self, execution_data* data) {
  return taken(self, execute_slot)(self, data);
}

task* SpawnedTasks::cancel(task* self, execution_data* data) {
  return taken(self, cancel_slot)(self, data);
}

void note_spawned(task& spawned) {
  if (!is_watched()) return;
  const HostScope ours;
  spawned_tasks().add(spawned);
}

void* new_memory(void* memory, std::size_t bytes) {
  if (memory == nullptr || !is_watched()) return memory;
  const HostScope ours;
  if (running().hooks != nullptr) running().hooks->tell_accesses();
  Machine::current()->tell_freed(memory, bytes);
  return memory;
}

/// As if the program had read the counter that the library has waited for.
void note_waited(wait_context& waited, std::uintptr_t caller) {
  if (running().user == nullptr || running().user->threads.size() < 2) return;
  const auto& runtime = guarded_runtime();
  runtime.atomic_begin(&waited.count, ORRERY_ATOMIC_READ, __ATOMIC_ACQUIRE, 0, caller);
  const std::uint64_t seen = __atomic_load_n(&waited.count, __ATOMIC_ACQUIRE);
  runtime.atomic_end(&waited.count, ORRERY_ATOMIC_READ, __ATOMIC_ACQUIRE, seen, sizeof waited.count,
                     caller);
}

}  // namespace

extern "C" const char orrery_interposed_tbb;
const char orrery_interposed_tbb = 0;

// As the library declares them.
namespace tbb::detail::r1 {

struct arena;

void spawn(task& spawned, task_group_context& context);
void spawn(task& spawned, task_group_context& context, std::uint16_t slot);
void enqueue(task& spawned, task_arena_base* arena);
void enqueue(task& spawned, task_group_context& context, task_arena_base* arena);
void submit(task& spawned, task_group_context& context, arena* where, std::uintptr_t is_critical);
void execute_and_wait(task& first, task_group_context& context, wait_context& waited,
                      task_group_context& waiting);
void wait(wait_context& waited, task_group_context& context);
void* allocate(small_object_pool*& pool, std::size_t bytes);
void* allocate(small_object_pool*& pool, std::size_t bytes, const execution_data& data);
void* allocate_memory(std::size_t bytes);
void* cache_aligned_allocate(std::size_t bytes);

void spawn(task& spawned, task_group_context& context) {
  static constinit std::add_pointer_t<void(task&, task_group_context&)> next = nullptr;
  note_spawned(spawned);
  found(next, "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE")(spawned, context);
}

void spawn(task& spawned, task_group_context& context, std::uint16_t slot) {
  static constinit std::add_pointer_t<void(task&, task_group_context&, std::uint16_t)> next =
      nullptr;
  note_spawned(spawned);
  found(next, "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt")(spawned, context,
                                                                                   slot);
}

void enqueue(task& spawned, task_arena_base* arena) {
  static constinit std::add_pointer_t<void(task&, task_arena_base*)> next = nullptr;
  note_spawned(spawned);
  found(next, "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE")(spawned, arena);
}

void enqueue(task& spawned, task_group_context& context, task_arena_base* arena) {
  static constinit std::add_pointer_t<void(task&, task_group_context&, task_arena_base*)> next =
      nullptr;
  note_spawned(spawned);
  found(
      next,
      "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE")(
      spawned, context, arena);
}

void submit(task& spawned, task_group_context& context, arena* where, std::uintptr_t is_critical) {
  static constinit std::add_pointer_t<void(task&, task_group_context&, arena*, std::uintptr_t)>
      next = nullptr;
  note_spawned(spawned);
  found(next, "_ZN3tbb6detail2r16submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm")(
      spawned, context, where, is_critical);
}

void execute_and_wait(task& first, task_group_context& context, wait_context& waited,
                      task_group_context& waiting) {
  using Next = void (*)(task&, task_group_context&, wait_context&, task_group_context&);
  static constinit Next next = nullptr;
  found(next,
        "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
        "contextES6_")(first, context, waited, waiting);
  note_waited(waited, ORRERY_CALLER);
}

void wait(wait_context& waited, task_group_context& context) {
  static constinit std::add_pointer_t<void(wait_context&, task_group_context&)> next = nullptr;
  found(next, "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE")(waited,
                                                                                          context);
  note_waited(waited, ORRERY_CALLER);
}

void* allocate(small_object_pool*& pool, std::size_t bytes) {
  static constinit std::add_pointer_t<void*(small_object_pool*&, std::size_t)> next = nullptr;
  return new_memory(
      found(next, "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEm")(pool, bytes), bytes);
}

void* allocate(small_object_pool*& pool, std::size_t bytes, const execution_data& data) {
  static constinit std::add_pointer_t<void*(small_object_pool*&, std::size_t,
                                            const execution_data&)>
      next = nullptr;
  return new_memory(
      found(next,
            "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE")(
          pool, bytes, data),
      bytes);
}

void* allocate_memory(std::size_t bytes) {
  static constinit std::add_pointer_t<void*(std::size_t)> next = nullptr;
  return new_memory(found(next, "_ZN3tbb6detail2r115allocate_memoryEm")(bytes), bytes);
}

void* cache_aligned_allocate(std::size_t bytes) {
  static constinit std::add_pointer_t<void*(std::size_t)> next = nullptr;
  return new_memory(found(next, "_ZN3tbb6detail2r122cache_aligned_allocateEm")(bytes), bytes);
}

}  // namespace tbb::detail::r1
