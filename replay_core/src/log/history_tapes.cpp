#include "history_tapes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "bit_coder.hpp"

namespace orrery {
namespace {

using detail::BitDecoder;
using detail::BitEncoder;
using detail::BitModel;
using detail::NumberModel;
using detail::SymbolModel;

constexpr unsigned kind_bits = 6;
constexpr std::size_t kinds = std::size_t{1} << kind_bits;
static_assert(static_cast<std::size_t>(OperationKind::count_) <= kinds);

constexpr std::size_t index_of(OperationKind kind) {
  return static_cast<std::size_t>(kind);
}

/// A task's objects: who was used last comes first, and the version that each was left in.
class TapeObjects {
 public:
  static constexpr std::size_t recent_max = 14;

  /// 0: the last one used.  Before these come nobody, so `recent_max` says: one that is not here.
  [[nodiscard]] std::size_t place_of(std::uint32_t object) const {
    const auto found = std::ranges::find(recent_, object);
    return found == recent_.end() ? recent_max : static_cast<std::size_t>(found - recent_.begin());
  }
  [[nodiscard]] std::uint32_t at(std::size_t place) const { return recent_[place]; }
  [[nodiscard]] std::size_t recent_count() const { return recent_.size(); }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(next_.size()); }
  /// The version that it has if nobody else has written since.
  [[nodiscard]] std::uint64_t next_version(std::uint32_t object) const { return next_[object]; }

  void use(const TapeEntry& entry) {
    if (entry.object == count()) next_.push_back(0);
    next_[entry.object] = entry.version + (entry.writes ? 1 : 0);
    const std::size_t place = place_of(entry.object);
    if (place == recent_max) {
      if (recent_.size() == recent_max) recent_.pop_back();
      recent_.insert(recent_.begin(), entry.object);
    } else {
      const auto first = recent_.begin();
      std::rotate(first, first + static_cast<std::ptrdiff_t>(place),
                  first + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }

 private:
  std::vector<std::uint32_t> recent_;
  std::vector<std::uint64_t> next_;  // by object
};

/// Codes either way: what an encoder is given it gives back, and a decoder fills it in.  `check`
/// says no to what cannot be.
template <typename Coder, typename Check>
class TapeCodec {
 public:
  TapeCodec(Coder& coder, Check check) : coder_(coder), check_(check) {}

  /// `number` is the task's.
  void code(HistoryTape& tape, std::uint32_t number) {
    code_head(tape, number);
    objects_ = {};
    before_ = before_that_ = OperationKind::none;
    resize(tape.entries);
    for (TapeEntry& entry : tape.entries) code(entry);
    resize(tape.woken);
    for (std::uint32_t& older : tape.woken) older = small(woken_, older);
  }

 private:
  void code_head(HistoryTape& tape, std::uint32_t number) {
    const bool has_starter = coder_.bit(has_starter_, tape.starter.has_value());
    if (has_starter) {
      check_(number > 0, "a task that nobody can have started");
      const std::uint32_t starter = tape.starter ? tape.starter->value : 0;
      // Mostly one has started all of them.
      const std::uint32_t same_as_before = starter_before_;
      if (!coder_.bit(is_same_starter_, starter == same_as_before)) {
        starter_before_ = small(starters_, starter);
      }
      check_(starter_before_ < number, "a task that was started by a later one");
      tape.starter = TaskId{starter_before_};
    } else {
      tape.starter.reset();
    }
    tape.steps = small(steps_, tape.steps);
    tape.has_ended = coder_.bit(has_ended_, tape.has_ended);
  }

  void code(TapeEntry& entry) {
    SymbolModel<kind_bits>& model = kinds_[index_of(before_that_) * kinds + index_of(before_)];
    const std::uint32_t kind = model.code(coder_, static_cast<std::uint32_t>(index_of(entry.kind)));
    check_(kind < index_of(OperationKind::count_), "an operation that does not exist");
    entry.kind = static_cast<OperationKind>(kind);
    Models& models = of_kind_[kind];
    const bool is_new = code_object(entry, models);
    entry.writes = coder_.bit(models.writes, entry.writes);
    code_version(entry, models, is_new);
    if (entry.writes) {
      entry.readers = models.readers.code(coder_, entry.readers);
    } else {
      entry.repeats = small(models.repeats, entry.repeats);
    }
    objects_.use(entry);
    before_that_ = before_;
    before_ = entry.kind;
  }

  /// What is learned of accesses by one kind of operation.
  struct Models {
    SymbolModel<4> places;
    NumberModel older;
    BitModel writes;
    NumberModel first_versions;
    std::array<NumberModel, 4> steps;  // by how long the last one was
    std::size_t last_step = 0;
    NumberModel readers;
    NumberModel repeats;
  };

  /// Is it one that the task has not used before?
  bool code_object(TapeEntry& entry, Models& models) {
    constexpr std::size_t is_new = TapeObjects::recent_max;
    constexpr std::size_t is_older = is_new + 1;
    std::size_t place = objects_.place_of(entry.object);
    if (place == TapeObjects::recent_max && entry.object != objects_.count()) place = is_older;
    place = models.places.code(coder_, static_cast<std::uint32_t>(place));
    if (place == is_new) {
      entry.object = objects_.count();
      return true;
    }
    if (place == is_older) {
      entry.object = small(models.older, entry.object);
      check_(entry.object < objects_.count(), "an object that cannot be");
      return false;
    }
    check_(place < objects_.recent_count(), "an object that cannot be");
    entry.object = objects_.at(place);
    return false;
  }

  void code_version(TapeEntry& entry, Models& models, bool is_new) {
    if (is_new) {
      entry.version = models.first_versions.code(coder_, entry.version);
      return;
    }
    const std::uint64_t own = objects_.next_version(entry.object);
    const std::uint64_t step = models.steps[models.last_step].code(coder_, entry.version - own);
    models.last_step = std::min<std::size_t>(std::bit_width(step), models.steps.size() - 1);
    entry.version = own + step;
  }

  std::uint32_t small(NumberModel& model, std::uint32_t number) {
    const std::uint64_t coded = model.code(coder_, number);
    check_(coded <= std::numeric_limits<std::uint32_t>::max(), "a number that cannot be");
    return static_cast<std::uint32_t>(coded);
  }

  template <typename Elements>
  void resize(Elements& elements) {
    const std::uint64_t count = counts_.code(coder_, elements.size());
    check_.has_room(count);
    elements.resize(static_cast<std::size_t>(count));
  }

  Coder& coder_;
  Check check_;
  BitModel has_starter_;
  BitModel is_same_starter_;
  std::uint32_t starter_before_ = 0;
  NumberModel starters_;
  NumberModel steps_;
  BitModel has_ended_;
  NumberModel counts_;
  NumberModel woken_;
  std::vector<SymbolModel<kind_bits>> kinds_{kinds * kinds};  // by the two before
  std::vector<Models> of_kind_{kinds};
  TapeObjects objects_;
  OperationKind before_ = OperationKind::none;
  OperationKind before_that_ = OperationKind::none;
};

/// What we write ourselves is good.
struct NoCheck {
  void operator()(bool, std::string_view) const {}
  void has_room(std::uint64_t) const {}
};

struct Check {
  void operator()(bool is_good, std::string_view what) const { coder->check(is_good, what, where); }
  void has_room(std::uint64_t count) const {
    (*this)(!coder->has_overrun() && count <= elements_max, "the records end too early");
  }
  const BitDecoder* coder;
  std::string_view where;
  std::uint64_t elements_max;
};

}  // namespace

std::vector<std::byte> encode_tapes(std::vector<HistoryTape> tapes) {
  BitEncoder coder;
  NumberModel numbers;
  numbers.code(coder, tapes.size());
  TapeCodec codec(coder, NoCheck{});
  std::uint32_t number = 0;
  for (HistoryTape& tape : tapes) codec.code(tape, number++);
  return coder.finish();
}

std::vector<HistoryTape> decode_tapes(std::span<const std::byte> bytes, std::string_view where) {
  BitDecoder coder(bytes);
  // A bit costs at least a hundredth of one: what claims to be more was not written by anybody.
  const Check check{&coder, where, (bytes.size() + 8) * 8 * 128};
  NumberModel numbers;
  const std::uint64_t count = numbers.code(coder, 0);
  check.has_room(count);
  TapeCodec codec(coder, check);
  std::vector<HistoryTape> tapes;
  for (std::uint32_t number = 0; number < count; ++number) {
    codec.code(tapes.emplace_back(), number);
    check(!coder.has_overrun(), "the records end too early");
  }
  check(coder.is_at_end(), "more than records");
  return tapes;
}

}  // namespace orrery
