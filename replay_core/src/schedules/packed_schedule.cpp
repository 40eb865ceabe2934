#include "packed_schedule.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "repeated_clock.hpp"

namespace orrery::detail {
namespace {

constexpr std::size_t first_words = 1024;
using EntryWords = std::array<std::uint64_t, sizeof(ScheduleEntry) / sizeof(std::uint64_t)>;

}  // namespace

PackedSchedule::PackedSchedule()
    : memory_(first_words * sizeof(std::uint64_t)),
      words_(static_cast<std::uint64_t*>(memory_.data())),
      capacity_(first_words) {}

void PackedSchedule::clear() {
  next_ = last_clock_ = 0;
  last_numbers_.clear();
}

bool PackedSchedule::has_room_for(TaskId task) {
  if (task.value >> task_bits != 0) return false;
  last_numbers_.resize(std::size_t{task.value} + 1);
  return true;
}

void PackedSchedule::on_value(const ValueQuestion& question, std::uint64_t answer) {
  if (question.kind == ChoiceKind::fault && answer == question.low) return;
  const auto entry = ScheduleEntry::draw(question.kind, question.asker, answer);
  if (!entry.is_clock()) return put_whole(entry);
  if (last_clock_ != 0 && last_clock_ == next_) {
    std::uint64_t* const words = words_ + next_ - entry_words;
    auto last = std::bit_cast<ScheduleEntry>(EntryWords{words[0], words[1], words[2]});
    if (take_repeat(last, entry)) {
      std::ranges::copy(std::bit_cast<EntryWords>(last), words);
      return;
    }
  }
  put_whole(entry);
  last_clock_ = next_;
}

void PackedSchedule::put_whole(const ScheduleEntry& entry) {
  put(whole_entry);
  for (const std::uint64_t word : std::bit_cast<EntryWords>(entry)) put(word);
}

void PackedSchedule::make_room() {
  constexpr std::uint64_t many_words = std::uint64_t{1} << 19U;
  capacity_ *= 2;
  memory_.grow(capacity_ * sizeof(std::uint64_t));
  if (capacity_ >= many_words) memory_.expect_much();
  words_ = static_cast<std::uint64_t*>(memory_.data());
}

Schedule PackedSchedule::schedule() const {
  Schedule schedule;
  std::vector<std::uint32_t> numbers(last_numbers_.size());
  const auto field = [](std::uint64_t& word, unsigned bits) {
    const std::uint64_t value = word & ((std::uint64_t{1} << bits) - 1);
    word >>= bits;
    return static_cast<std::uint32_t>(value);
  };
  for (std::uint64_t at = 0; at < next_; ++at) {
    std::uint64_t word = words_[at];
    ScheduleEntry entry;
    if (word == whole_entry) {
      entry =
          std::bit_cast<ScheduleEntry>(EntryWords{words_[at + 1], words_[at + 2], words_[at + 3]});
      at += entry_words;
    } else {
      const auto kind = static_cast<OperationKind>(field(word, kind_bits));
      const std::uint32_t ahead = field(word, ahead_bits) - ahead_bias;
      const std::uint32_t number = field(word, object_bits);
      const TaskId creator{field(word, task_bits) - 1};
      const TaskId task{field(word, task_bits)};
      entry = ScheduleEntry::step({task, numbers[task.value] + ahead}, kind, {creator, number});
    }
    const bool is_step = entry.type == ScheduleEntry::Type::step;
    if (is_step && entry.id.task.value < numbers.size()) {
      numbers[entry.id.task.value] = entry.id.number;
    }
    schedule.entries.push_back(entry);
  }
  return schedule;
}

}  // namespace orrery::detail
