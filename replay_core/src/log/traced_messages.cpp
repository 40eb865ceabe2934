// Which receive took which message, in few bits: what usually follows is learned on the way.
// Encoder and decoder are one code, so both know the same.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/real_log.hpp>

#include "bit_coder.hpp"

namespace orrery {
namespace {

using detail::BitDecoder;
using detail::BitEncoder;
using detail::BitModel;
using detail::NumberModel;

/// By how much a send's number is higher than an earlier one, as far as it was so before.
class StepGuess {
 public:
  static constexpr std::size_t hits_max = 3;
  [[nodiscard]] std::uint32_t step() const { return step_; }
  /// How often in a row it was right, up to `hits_max`.
  [[nodiscard]] std::size_t hits() const { return hits_; }
  void learn(std::uint32_t step) {
    hits_ = step == step_ ? std::min(hits_ + 1, hits_max) : 0;
    step_ = step;
  }

 private:
  std::uint32_t step_ = 0;
  std::size_t hits_ = 0;
};

/// What a record says more than the one before it.
struct Step {
  std::uint64_t gap = 0;     ///< how many events later
  std::size_t place = 0;     ///< of the sender, who sent last comes first
  std::uint32_t number = 0;  ///< by how much its send is later than its last

  bool operator==(const Step&) const = default;
};

/// What came after the same steps when they were there the last time: programs that compute do the
/// same again and again.  A prediction by match, as in Mahoney's PAQ; several steps are needed, so
/// that one that is there by chance is not taken for one.
class Repetition {
 public:
  [[nodiscard]] const Step* expected() const { return is_repeating_ ? &steps_[next_] : nullptr; }
  /// Was the last one as expected?  Learned by how often in a row it was.
  BitModel& is_expected() { return models_[std::min(length_, models_.size() - 1)]; }

  void add(const Step& step) {
    is_repeating_ = is_repeating_ && steps_[next_] == step;
    length_ = is_repeating_ ? length_ + 1 : 0;
    steps_.push_back(step);
    ++next_;
    if (steps_.size() < needed) return;
    std::size_t& latest = after_[hash_of_last() % after_.size()];
    if (!is_repeating_ && latest != 0) {
      is_repeating_ = true;
      next_ = latest;
    }
    latest = steps_.size();
  }
  /// What comes now has nothing to do with what was.
  void stop() { is_repeating_ = false; }

 private:
  static constexpr std::size_t needed = 12;

  [[nodiscard]] std::uint64_t hash_of_last() const {
    std::uint64_t hash = 0;
    for (std::size_t i = steps_.size() - needed; i < steps_.size(); ++i) {
      for (const std::uint64_t part :
           {steps_[i].gap, std::uint64_t{steps_[i].place}, std::uint64_t{steps_[i].number}}) {
        hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29U;
      }
    }
    return hash;
  }

  std::vector<Step> steps_;
  std::vector<std::size_t> after_ = std::vector<std::size_t>(std::size_t{1} << 14U);  // by hash
  bool is_repeating_ = false;
  std::size_t next_ = 0;    // of the steps, if they are repeating
  std::size_t length_ = 0;  // of the repetition
  std::array<BitModel, 16> models_;
};

constexpr std::uint32_t folded(std::uint32_t difference) {
  return difference << 1U ^ (0U - (difference >> 31U));
}
constexpr std::uint32_t unfolded(std::uint32_t number) {
  return number >> 1U ^ (0U - (number & 1U));
}

/// Codes either way: what an encoder is given it gives back, and a decoder fills it in.  Sums and
/// differences wrap, so that whatever numbers there are come back.
template <typename Coder>
class TraceCodec {
 public:
  explicit TraceCodec(Coder& coder) : coder_(coder) {}

  std::uint64_t code_count(std::uint64_t count) { return counts_.code(coder_, count); }

  void code(TracedMessage& message) {
    code_receiver(message.receiver);
    const Step* const expected = is_first_ ? nullptr : repetition_.expected();
    const bool can_repeat = expected != nullptr && expected->place < senders_.size();
    if (can_repeat && coder_.bit(repetition_.is_expected(), step_of(message) == *expected)) {
      message = repeated(*expected);
    } else {
      const std::uint64_t gap = code_event(message.event);
      message.send = code_send(message.send, message.event, gap);
    }
    gap_before_ = is_first_ ? 0 : message.event - before_.event;
    repetition_.add({gap_before_, last_place_, senders_.front().step});
    before_ = message;
    is_first_ = false;
  }

 private:
  /// Who has sent to the receiver, and what came last.
  struct Sender {
    std::uint32_t task = 0;
    std::uint32_t number = 0;  ///< of its send
    std::uint32_t step = 0;    ///< to that number from the one before
    std::uint64_t event = 0;   ///< which took it
  };

  void code_receiver(TaskId& receiver) {
    const std::uint32_t before = before_.receiver.value;
    const auto step =
        static_cast<std::uint32_t>(receivers_.code(coder_, std::uint32_t{receiver.value - before}));
    receiver.value = before + step;
    if (step == 0) return;
    is_first_ = true;
    before_ = {};
    before_.receiver = receiver;
    senders_.clear();
    repetition_.stop();
  }

  [[nodiscard]] std::size_t place_of(TaskId task) const {
    const auto found = std::find_if(senders_.begin(), senders_.end(), [task](const Sender& sender) {
      return sender.task == task.value;
    });
    return static_cast<std::size_t>(std::distance(senders_.begin(), found));
  }

  [[nodiscard]] Step step_of(const TracedMessage& message) const {
    const std::size_t place = place_of(message.send.task);
    const std::uint32_t last = place < senders_.size() ? senders_[place].number : 0;
    return {message.event - before_.event, place, message.send.number - last};
  }

  TracedMessage repeated(const Step& step) {
    Sender& sender = bring_to_front(step.place);
    const std::uint64_t event = before_.event + step.gap;
    sender.step = step.number;
    sender.number += step.number;
    sender.event = event;
    return {before_.receiver, event, {TaskId{sender.task}, sender.number}};
  }

  Sender& bring_to_front(std::size_t place) {
    const auto first = senders_.begin();
    std::rotate(first, first + static_cast<std::ptrdiff_t>(place),
                first + static_cast<std::ptrdiff_t>(place) + 1);
    last_place_ = place;
    return senders_.front();
  }

  /// How many events after the one before; 0 for a receiver's first.
  std::uint64_t code_event(std::uint64_t& event) {
    if (is_first_) {
      const bool is_start = coder_.bit(is_start_, (event & counts_started) != 0);
      const std::uint64_t flag = is_start ? counts_started : 0;
      event = first_events_.code(coder_, event ^ flag) ^ flag;
      return 0;
    }
    NumberModel& gaps = gaps_[static_cast<std::size_t>(std::bit_width(gap_before_))];
    const std::uint64_t gap = gaps.code(coder_, event - before_.event - 1) + 1;
    event = before_.event + gap;
    return gap;
  }

  OperationId code_send(OperationId send, std::uint64_t event, std::uint64_t gap) {
    const std::size_t place = code_place(send.task, gap);
    if (place == senders_.size()) {
      senders_.push_back({static_cast<std::uint32_t>(tasks_.code(coder_, send.task.value))});
    }
    Sender& sender = bring_to_front(place);
    // What a sender does meanwhile depends on how much its receiver did; a message that was probed
    // is received next.
    const std::uint64_t key = (event - sender.event) << 1U | (sender.step == 0 ? 1U : 0U);
    StepGuess& own = own_steps_[key];
    StepGuess& common = common_steps_[gap];
    const std::uint32_t by_common = before_.send.number + common.step() - sender.number;
    sender.step = code_step(send.number - sender.number, own, by_common, common.hits());
    sender.number += sender.step;
    sender.event = event;
    own.learn(sender.step);
    common.learn(sender.number - before_.send.number);
    return {TaskId{sender.task}, sender.number};
  }

  std::uint32_t code_step(std::uint32_t step, const StepGuess& own, std::uint32_t by_common,
                          std::size_t common_hits) {
    if (coder_.bit(is_own_[own.hits()], step == own.step())) return own.step();
    if (by_common != own.step() && coder_.bit(is_common_[common_hits], step == by_common)) {
      return by_common;
    }
    const std::uint64_t difference = differences_.code(coder_, folded(step - own.step()));
    return own.step() + unfolded(static_cast<std::uint32_t>(difference));
  }

  /// The sender's place among those so far, who sent last comes first; a new one's is the end.
  std::size_t code_place(TaskId task, std::uint64_t gap) {
    const bool was_repeated = !senders_.empty() && senders_.front().step == 0;
    NumberModel& places =
        places_[was_repeated ? 1 : 0][std::min<std::uint64_t>(gap, gaps_told_apart - 1)];
    const std::uint64_t place = places.code(coder_, place_of(task));
    return static_cast<std::size_t>(std::min<std::uint64_t>(place, senders_.size()));
  }

  static constexpr std::size_t gaps_told_apart = 4;

  Coder& coder_;
  TracedMessage before_;
  std::uint64_t gap_before_ = 0;
  bool is_first_ = true;         // of its receiver
  std::vector<Sender> senders_;  // to this receiver, who sent last comes first
  std::size_t last_place_ = 0;   // of the sender of the last message, before it
  Repetition repetition_;

  NumberModel counts_;
  NumberModel receivers_;
  BitModel is_start_;
  NumberModel first_events_;
  std::array<NumberModel, 65> gaps_;  // by the length of the gap before
  std::array<std::array<NumberModel, gaps_told_apart>, 2> places_;
  NumberModel tasks_;
  std::array<BitModel, StepGuess::hits_max + 1> is_own_;
  std::array<BitModel, StepGuess::hits_max + 1> is_common_;
  NumberModel differences_;
  // Only looked up, never gone through, so their order does not matter.
  std::unordered_map<std::uint64_t, StepGuess> own_steps_;     // from the sender's last
  std::unordered_map<std::uint64_t, StepGuess> common_steps_;  // from anybody's, by the gap
};

}  // namespace

std::vector<std::byte> encode_traced_messages(std::span<const TracedMessage> traced) {
  BitEncoder coder;
  TraceCodec<BitEncoder> codec(coder);
  codec.code_count(traced.size());
  for (TracedMessage message : traced) codec.code(message);
  return coder.finish();
}

std::vector<TracedMessage> decode_traced_messages(std::span<const std::byte> bytes,
                                                  std::string_view where) {
  BitDecoder coder(bytes);
  const auto check = [&](bool is_good, std::string_view what) {
    coder.check(is_good, what, where);
  };
  // A record has at least two bits, of which each costs at least a ninetieth of one.
  const std::uint64_t messages_max = (bytes.size() + 8) * 8 * 45;
  constexpr std::uint32_t tasks_max = 1U << 24U;
  TraceCodec<BitDecoder> codec(coder);
  const std::uint64_t count = codec.code_count(0);
  check(count <= messages_max, "the records end too early");
  std::vector<TracedMessage> traced;
  for (std::uint64_t i = 0; i < count; ++i) {
    TracedMessage& message = traced.emplace_back();
    codec.code(message);
    check(!coder.has_overrun(), "the records end too early");
    check(message.receiver.value <= tasks_max && message.send.task.value <= tasks_max,
          "a task that cannot be");
  }
  check(coder.is_at_end(), "more than records");
  return traced;
}

}  // namespace orrery
