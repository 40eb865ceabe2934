#include "reductions.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "interposed/refused_call.hpp"
#include "ranks/rank_context.hpp"
#include "tasks.hpp"

namespace orrery::openmp {
namespace {

using host::HostScope;

/// One of the compiler's arrays.
class Description {
 public:
  explicit Description(std::uintptr_t* words) : words_(words) {}
  [[nodiscard]] std::size_t count() const { return words_[0]; }
  [[nodiscard]] std::size_t part_bytes() const { return words_[1]; }
  [[nodiscard]] std::size_t alignment() const { return words_[2]; }
  [[nodiscard]] std::uintptr_t memory() const { return words_[2]; }
  [[nodiscard]] std::uintptr_t end() const { return words_[6]; }
  [[nodiscard]] std::uintptr_t* next() const {
    return reinterpret_cast<std::uintptr_t*>(words_[4]);
  }
  void set_memory(std::uintptr_t begin, std::uintptr_t end) {
    words_[2] = begin;
    words_[6] = end;
  }
  void set_next(std::uintptr_t* outer) { words_[4] = reinterpret_cast<std::uintptr_t>(outer); }
  [[nodiscard]] std::uintptr_t variable(std::size_t index) const { return words_[7 + 3 * index]; }
  [[nodiscard]] std::uintptr_t place(std::size_t index) const { return words_[8 + 3 * index]; }

 private:
  std::uintptr_t* words_;
};

/// Calls `each(description)` for those of one construct, and hangs them in front of `outer`.
template <typename Each>
void for_each_new(std::uintptr_t* arrays, std::uintptr_t* outer, const Each& each) {
  for (;;) {
    Description one(arrays);
    each(one);
    if (one.next() == nullptr) return one.set_next(outer);
    arrays = one.next();
  }
}

struct Found {
  std::uintptr_t part;  ///< of the calling thread
  std::uintptr_t variable;
};

/// Looks for what `address` stands for in one description.
bool find(const Description& one, std::uintptr_t address, std::uintptr_t thread, Found& found) {
  const std::uintptr_t own = one.memory() + thread * one.part_bytes();
  const bool is_part = address >= one.memory() && address < one.end();
  for (std::size_t i = 0; i < one.count(); ++i) {
    const bool fits = is_part ? (address - one.memory()) % one.part_bytes() == one.place(i)
                              : address == one.variable(i);
    if (!fits) continue;
    found = {own + one.place(i), one.variable(i)};
    return true;
  }
  return false;
}

/// In those of the innermost group, and of the groups around it.
Found find_in_groups(std::uintptr_t address) {
  const Place& place = this_thread().place;
  const Group* const group = place.task->group;
  Found found{address, address};
  std::uintptr_t* arrays = group != nullptr ? group->reductions : nullptr;
  for (; arrays != nullptr; arrays = Description(arrays).next()) {
    if (find(Description(arrays), address, static_cast<std::uintptr_t>(place.number), found)) {
      return found;
    }
  }
  host::refuse_call(
      "a task takes part in a reduction (in_reduction) that no task_reduction around "
      "it begins",
      "name the variable in a task_reduction or reduction(task, ...) clause");
  return found;
}

}  // namespace

void make_parts(std::uintptr_t* arrays, std::uintptr_t* outer, int threads) {
  for_each_new(arrays, outer, [threads](Description& one) {
    const std::size_t bytes = one.part_bytes() * static_cast<std::size_t>(threads);
    const std::size_t alignment = std::max<std::size_t>(one.alignment(), 1);
    std::uintptr_t begin = 0;
    Process& process = this_process();
    {
      const HostScope scope;
      auto owned = std::make_unique<std::byte[]>(bytes + alignment);
      const auto address = reinterpret_cast<std::uintptr_t>(owned.get());
      begin = (address + alignment - 1) / alignment * alignment;
      process.parts.emplace(begin, std::move(owned));
    }
    one.set_memory(begin, begin + bytes);
  });
}

void share_parts(std::uintptr_t* arrays, const std::uintptr_t* first, std::uintptr_t* outer) {
  for_each_new(arrays, outer, [&first](Description& one) {
    one.set_memory(first[2], first[6]);
    first = reinterpret_cast<const std::uintptr_t*>(first[4]);
  });
}

void free_parts(std::uintptr_t* arrays) {
  auto& parts = this_process().parts;
  const HostScope scope;
  parts.erase(Description(arrays).memory());
}

void find_parts(std::size_t count, std::size_t original_count, void** variables) {
  for (std::size_t i = 0; i < count; ++i) {
    const Found found = find_in_groups(reinterpret_cast<std::uintptr_t>(variables[i]));
    variables[i] = reinterpret_cast<void*>(found.part);
    if (i < original_count) variables[count + i] = reinterpret_cast<void*>(found.variable);
  }
}

void take_extras(std::uintptr_t* reductions, void** memory) {
  const Place& place = this_thread().place;
  Share& share = *place.share;
  if (reductions != nullptr) {
    begin_group();
    Group& group = *place.task->group;
    if (share.reductions == nullptr) {
      share.reductions = reductions;
      make_parts(reductions, group.reductions, place.team->size);
    } else {
      share_parts(reductions, share.reductions, group.reductions);
    }
    group.reductions = reductions;
  }
  if (memory == nullptr) return;
  if (share.memory == nullptr) {
    const HostScope scope;
    share.memory = std::make_unique<std::byte[]>(reinterpret_cast<std::uintptr_t>(*memory));
  }
  *memory = share.memory.get();
}

void leave_reductions(std::uintptr_t program_counter) {
  const Place& place = this_thread().place;
  std::uintptr_t* const arrays = place.task->group->reductions;
  end_group(program_counter);
  if (place.number == 0) free_parts(arrays);
}

Schedule schedule_numbered(long number) {
  return static_cast<Schedule>(static_cast<unsigned long>(number) & 0xffU);
}

}  // namespace orrery::openmp
