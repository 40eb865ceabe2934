#include "helpers.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace orrery::mpi {

std::uint32_t Helpers::start(const OrreryRuntime& table, std::uintptr_t pc,
                             std::function<void()> work) {
  std::uint32_t number = 0;
  for (Helper& helper : helpers_) {
    ++number;
    if (!helper.is_free) continue;
    helper.is_free = false;
    helper.work = std::move(work);
    helper.pc = pc;
    // Made anew before the helper can look: it may not even have come to wait for this one.
    table.complete_event(std::exchange(helper.turn, table.start_event(pc)));
    return number;
  }
  Helper& helper = helpers_.emplace_back();
  helper.table = &table;
  helper.pc = pc;
  helper.work = std::move(work);
  helper.turn = table.start_event(pc);
  char name[48];
  std::snprintf(name, sizeof name, "rank %d's helper %zu", table.rank(), helpers_.size());
  table.helper_start(run, &helper, name, pc);
  return number + 1;
}

void Helpers::release(std::uint32_t number) {
  if (number != 0) helpers_[number - 1].is_free = true;
}

bool Helpers::owns(OrreryThread thread) const {
  return std::ranges::any_of(helpers_, [&](const Helper& one) { return one.thread == thread; });
}

void Helpers::run(void* argument) {
  Helper& helper = *static_cast<Helper*>(argument);
  helper.thread = helper.table->current_thread();
  for (;;) {
    // The program knows of the work's end before it gives more: what comes next is not there yet.
    const OrreryRequest turn = helper.turn;
    const std::function<void()> work = std::move(helper.work);
    work();
    std::int32_t index = 0;
    helper.table->select(&turn, 1, ORRERY_SELECT_ALL, &index, helper.pc);
    helper.table->release(turn);
  }
}

}  // namespace orrery::mpi
