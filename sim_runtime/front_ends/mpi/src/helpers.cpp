#include "helpers.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace orrery::mpi {

void Helpers::start(const OrreryRuntime& table, std::uintptr_t pc, std::function<void()> work) {
  for (Helper& helper : helpers_) {
    if (helper.more == 0) continue;
    helper.work = std::move(work);
    helper.pc = pc;
    table.complete_event(std::exchange(helper.more, 0));
    return;
  }
  Helper& helper = helpers_.emplace_back();
  helper.table = &table;
  helper.pc = pc;
  helper.work = std::move(work);
  char name[48];
  std::snprintf(name, sizeof name, "rank %d's helper %zu", table.rank(), helpers_.size());
  table.helper_start(run, &helper, name, pc);
}

bool Helpers::owns(OrreryThread thread) const {
  return std::ranges::any_of(helpers_, [&](const Helper& one) { return one.thread == thread; });
}

void Helpers::run(void* argument) {
  Helper& helper = *static_cast<Helper*>(argument);
  helper.thread = helper.table->current_thread();
  for (;;) {
    helper.work();
    helper.work = nullptr;
    const OrreryRequest more = helper.table->start_event(helper.pc);
    helper.more = more;
    std::int32_t index = 0;
    helper.table->select(&more, 1, ORRERY_SELECT_ALL, &index, helper.pc);
    helper.table->release(more);
  }
}

}  // namespace orrery::mpi
