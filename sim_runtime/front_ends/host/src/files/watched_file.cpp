#include "watched_file.hpp"

#include <orrery/sim_runtime/told_questions.hpp>

#include "machine.hpp"

namespace orrery::host {

void give_way_until(std::int64_t due, std::uintptr_t program_counter) {
  constexpr std::int64_t look_picoseconds = 1'000'000;
  if (due == ORRERY_NEVER) {
    guarded_runtime().yield(program_counter);
  } else {
    guarded_runtime().sleep(look_picoseconds, program_counter);
  }
}

bool keeps_findings() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->keeps_transfers;
}

bool keeps_order() {
  return keeps_findings() && running().thread->has_had_others();
}

std::uint64_t told(std::uint64_t own) {
  const RuntimeGuard guard(RuntimeGuard::Libraries::of_the_host);
  return orrery::detail::Machine::current()->choose_input(transfer_question, own);
}

ssize_t told_result(std::int64_t own) {
  const auto outcome = static_cast<std::int64_t>(told(static_cast<std::uint64_t>(own)));
  if (outcome >= 0) return outcome;
  errno = static_cast<int>(-outcome);
  return -1;
}

TransferTurn::TransferTurn(std::shared_ptr<bool> order) : order_(std::move(order)) {
  if (order_ == nullptr) return;
  const std::uintptr_t place = place_of_call();
  const std::uint32_t flags = *order_ ? std::uint32_t{ORRERY_MUTEX_MARKED} : 0U;
  guarded_runtime().mutex_lock(order_.get(), flags, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                               place_of_call());
  *order_ = true;
  note_place_of_call(place);  // others have called meanwhile
}

TransferTurn::~TransferTurn() {
  if (order_ == nullptr) return;
  guarded_runtime().mutex_unlock(order_.get(), ORRERY_MUTEX_MARKED, place_of_call());
  *order_ = false;
}

EndTurn::EndTurn(OpenFile& file)
    : orders_([&]() -> decltype(orders_) {
        WatchedFile* const watched = keeps_order() ? file.watched() : nullptr;
        if (watched == nullptr) return {};
        auto both = std::make_pair(watched->order(true), watched->order(false));
        if (both.first == both.second) both.second = nullptr;
        return both;
      }()),
      reading_(orders_.first),
      writing_(orders_.second) {}

}  // namespace orrery::host
