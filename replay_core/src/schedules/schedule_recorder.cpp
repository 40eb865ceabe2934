#include "schedule_recorder.hpp"

#include <algorithm>
#include <cstring>

#include <orrery/network_model/usage_error.hpp>

#include "repeated_clock.hpp"

namespace orrery {
namespace {

constexpr std::size_t first_entries = 1024;

bool is_well_formed(const ScheduleEntry& entry) {
  return entry.type <= ScheduleEntry::Type::value && entry.operation < OperationKind::count_ &&
         entry.choice <= ChoiceKind::clock;
}

}  // namespace

ScheduleRecorder::ScheduleRecorder()
    : own_entries_(first_entries * sizeof(ScheduleEntry)),
      header_(&own_header_),
      entries_(static_cast<ScheduleEntry*>(own_entries_.data())),
      capacity_(first_entries) {}

ScheduleRecorder::ScheduleRecorder(std::span<std::byte> memory)
    : header_(reinterpret_cast<Header*>(memory.data())),
      entries_(reinterpret_cast<ScheduleEntry*>(memory.data() + sizeof(Header))),
      capacity_(memory.size() < bytes_for(1)
                    ? 0
                    : (memory.size() - sizeof(Header)) / sizeof(ScheduleEntry)) {
  if (capacity_ == 0) {
    throw UsageError("too little memory for a recording", "ScheduleRecorder",
                     "give it bytes_for(n) bytes for n entries");
  }
  detail::ensure(reinterpret_cast<std::uintptr_t>(memory.data()) % alignof(Header) == 0,
                 "the memory of a recording is aligned");
  clear();
}

void ScheduleRecorder::clear() {
  next_ = 0;
  header_->count.store(0, std::memory_order_release);
  header_->lost.store(0, std::memory_order_release);
}

bool ScheduleRecorder::is_repeated(const ScheduleEntry& clock) {
  return next_ != 0 && detail::take_repeat(entries_[next_ - 1], clock);
}

bool ScheduleRecorder::make_room() {
  if (own_entries_.data() == nullptr) {
    header_->lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  constexpr std::uint64_t many_entries = std::uint64_t{1} << 17U;
  capacity_ *= 2;
  own_entries_.grow(capacity_ * sizeof(ScheduleEntry));
  if (capacity_ >= many_entries) own_entries_.expect_much();
  entries_ = static_cast<ScheduleEntry*>(own_entries_.data());
  return true;
}

std::span<const ScheduleEntry> ScheduleRecorder::entries() const {
  return {entries_, static_cast<std::size_t>(next_)};
}

std::uint64_t ScheduleRecorder::entries_lost() const {
  return header_->lost.load(std::memory_order_acquire);
}

Schedule ScheduleRecorder::schedule() const {
  const auto kept = entries();
  return {{kept.begin(), kept.end()}, entries_lost()};
}

Schedule ScheduleRecorder::read(std::span<const std::byte> memory) {
  Schedule schedule;
  if (memory.size() < bytes_for(1)) return schedule;
  const auto* const header = reinterpret_cast<const Header*>(memory.data());
  // A process that died may have written anywhere: the count is believed as far as there is room.
  const std::uint64_t room = (memory.size() - sizeof(Header)) / sizeof(ScheduleEntry);
  const std::uint64_t count = std::min(header->count.load(std::memory_order_acquire), room);
  schedule.entries.resize(static_cast<std::size_t>(count));
  if (count != 0) {
    std::memcpy(schedule.entries.data(), memory.data() + sizeof(Header),
                schedule.entries.size() * sizeof(ScheduleEntry));
  }
  const auto damaged = std::ranges::find_if_not(schedule.entries, is_well_formed);
  schedule.entries.erase(damaged, schedule.entries.end());
  schedule.entries_lost = header->lost.load(std::memory_order_acquire);
  return schedule;
}

}  // namespace orrery
