#include "open_calls.hpp"

#include <algorithm>
#include <bit>

#include "bit_coder.hpp"

namespace orrery {
namespace {

using detail::BitDecoder;
using detail::BitEncoder;
using detail::BitModel;
using detail::NumberModel;

/// A rank, or nobody, after the one before: workers take turns, and neighbours come in order.
class SourceModel {
 public:
  explicit SourceModel(unsigned bits) : bits_(bits) {}

  template <typename Coder>
  std::int32_t code(Coder& coder, std::int32_t source) {
    const auto symbol = static_cast<std::uint32_t>(source + 1);
    if (bits_ > bits_with_context_max) previous_ = 0;
    if (models_.size() <= previous_) models_.resize(previous_ + 1);
    std::vector<BitModel>& models = models_[previous_];
    if (models.empty()) models.resize(std::size_t{1} << bits_);
    std::uint32_t node = 1;
    for (unsigned i = bits_; i-- > 0;) {
      node = node << 1U | (coder.bit(models[node], (symbol >> i & 1U) != 0) ? 1U : 0U);
    }
    previous_ = node - (1U << bits_);
    return static_cast<std::int32_t>(previous_) - 1;
  }
  void begin_task() { previous_ = 0; }

 private:
  /// With more ranks, most pairs of them never follow each other.
  static constexpr unsigned bits_with_context_max = 7;
  unsigned bits_;
  std::uint32_t previous_ = 0;
  std::vector<std::vector<BitModel>> models_;
};

/// Codes either way: what an encoder is given it gives back, and a decoder fills it in.
template <typename Coder>
class Codec {
 public:
  Codec(Coder& coder, unsigned source_bits) : coder_(coder), sources_(source_bits) {}

  /// `has_room` says whether so many elements can still follow; otherwise nothing is reserved.
  template <typename HasRoom>
  void code(OpenCalls& calls, std::uint32_t& task_before, const HasRoom& has_room) {
    const std::uint64_t step = tasks_.code(coder_, std::uint64_t{calls.task.value} - task_before);
    calls.task.value = task_before + static_cast<std::uint32_t>(step);
    task_before = calls.task.value;
    sources_.begin_task();
    resize(calls.sources, has_room);
    for (std::int32_t& source : calls.sources) source = sources_.code(coder_, source);
    resize(calls.failed_polls, has_room);
    for (std::uint64_t& failed : calls.failed_polls) failed = polls_.code(coder_, failed);
    calls.last_failed_polls = last_polls_.code(coder_, calls.last_failed_polls);
    resize(calls.selections, has_room);
    for (OpenCalls::Selection& selection : calls.selections) code(selection, has_room);
    resize(calls.cancellations, has_room);
    for (std::size_t i = 0; i < calls.cancellations.size(); ++i) {
      calls.cancellations[i] = coder_.bit(cancelled_, calls.cancellations[i]);
    }
  }

 private:
  template <typename HasRoom>
  void code(OpenCalls::Selection& selection, const HasRoom& has_room) {
    selection.among = static_cast<std::uint32_t>(among_.code(coder_, selection.among));
    resize(selection.reported, has_room);
    std::uint32_t next = 0;
    for (std::uint32_t& place : selection.reported) {
      place = next + static_cast<std::uint32_t>(places_.code(coder_, place - next));
      next = place + 1;
    }
  }

  template <typename Elements, typename HasRoom>
  void resize(Elements& elements, const HasRoom& has_room) {
    const std::uint64_t count = counts_.code(coder_, elements.size());
    has_room(count);
    elements.resize(static_cast<std::size_t>(count));
  }

  Coder& coder_;
  SourceModel sources_;
  NumberModel tasks_;
  NumberModel counts_;
  NumberModel polls_;
  NumberModel last_polls_;
  NumberModel among_;
  NumberModel places_;
  BitModel cancelled_;
};

unsigned source_bits_of(std::span<const OpenCalls> tasks) {
  std::int32_t highest = OpenCalls::nobody;
  for (const OpenCalls& calls : tasks) {
    for (const std::int32_t source : calls.sources) highest = std::max(highest, source);
  }
  return static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(highest + 1)));
}

}  // namespace

bool OpenCalls::is_empty() const {
  return sources.empty() && failed_polls.empty() && last_failed_polls == 0 && selections.empty() &&
         cancellations.empty();
}

void OpenCalls::append(const OpenCalls& later) {
  sources.insert(sources.end(), later.sources.begin(), later.sources.end());
  if (later.failed_polls.empty()) {
    last_failed_polls += later.last_failed_polls;
  } else {
    const auto added = static_cast<std::ptrdiff_t>(failed_polls.size());
    failed_polls.insert(failed_polls.end(), later.failed_polls.begin(), later.failed_polls.end());
    *(failed_polls.begin() + added) += last_failed_polls;
    last_failed_polls = later.last_failed_polls;
  }
  selections.insert(selections.end(), later.selections.begin(), later.selections.end());
  cancellations.insert(cancellations.end(), later.cancellations.begin(), later.cancellations.end());
}

std::vector<std::byte> encode_open_calls(std::vector<OpenCalls> tasks) {
  BitEncoder coder;
  NumberModel numbers;
  const unsigned source_bits = source_bits_of(tasks);
  numbers.code(coder, tasks.size());
  numbers.code(coder, source_bits);
  Codec<BitEncoder> codec(coder, source_bits);
  std::uint32_t task_before = 0;
  for (OpenCalls& calls : tasks) codec.code(calls, task_before, [](std::uint64_t) {});
  return coder.finish();
}

std::vector<OpenCalls> decode_open_calls(std::span<const std::byte> bytes, std::string_view where) {
  BitDecoder coder(bytes);
  const auto check = [&](bool is_good, std::string_view what) {
    coder.check(is_good, what, where);
  };
  // A bit costs at least a hundredth of one: what claims to be more was not written by anybody.
  const std::uint64_t elements_max = (bytes.size() + 8) * 8 * 128;
  const auto has_room = [&](std::uint64_t count) {
    check(!coder.has_overrun() && count <= elements_max, "the records end too early");
  };
  NumberModel numbers;
  const std::uint64_t count = numbers.code(coder, 0);
  has_room(count);
  const std::uint64_t source_bits = numbers.code(coder, 0);
  constexpr unsigned source_bits_max = 24;
  check(source_bits <= source_bits_max, "a rank that cannot be");
  Codec<BitDecoder> codec(coder, static_cast<unsigned>(source_bits));
  std::vector<OpenCalls> tasks;
  std::uint32_t task_before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    codec.code(tasks.emplace_back(), task_before, has_room);
    check(!coder.has_overrun(), "the records end too early");
  }
  check(coder.is_at_end(), "more than records");
  return tasks;
}

}  // namespace orrery
