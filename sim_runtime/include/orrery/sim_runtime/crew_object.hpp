// Objects of a program's own that are recorded and replayed by their versions: Instant Replay.
//
// LeBlanc and Mellor-Crummey, "Debugging parallel programs with Instant Replay" (1987): concurrent
// reads, exclusive writes.  The four procedures are the paper's, for recording and replaying alike.
// They use nothing but what programs have (a mutex and atomics), so they can be explored, too.  To
// record a whole run of any program see the method `instant-replay` (docs/recording.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/shared.hpp>

namespace orrery {

class World;

/// What one task has met, and the tapes of those that it has started, in order.  A value type.
struct CrewTape {
  /// Of a read the version that was read; of a write that which was changed, and how often it had
  /// been read.
  std::vector<std::uint64_t> numbers;
  std::list<CrewTape> started;  // stays where it is while others are added
  friend bool operator==(const CrewTape&, const CrewTape&) = default;
};

/// Are tapes written or followed?
enum class CrewMode : std::uint8_t { record, replay };

/// A task on its tape.  The one that runs a program's main function has one made from the tape of
/// the whole; it makes those of the tasks that it starts, before it starts them.
///
///     orrery::CrewTape tape;
///     orrery::CrewTask main(tape, orrery::CrewMode::record);
///     orrery::CrewTask own = main.start();
///     auto worker = world.thread("worker", [&] { account.write(own, [](int& x) { ++x; }); });
class CrewTask {
 public:
  /// The tape must outlive it.
  CrewTask(CrewTape& tape, CrewMode mode) : tape_(&tape), mode_(mode) {}
  /// For the next task that this one starts.  Throws `UsageError` if the recorded one started no
  /// more.
  [[nodiscard]] CrewTask start();

  [[nodiscard]] CrewMode mode() const { return mode_; }
  /// What comes next on the tape; a replay that wants more than there is throws `UsageError`.
  [[nodiscard]] std::uint64_t next();
  void put(std::uint64_t number) { tape_->numbers.push_back(number); }
  /// Has everything on the tape been done, by this task?
  [[nodiscard]] bool is_at_end() const { return place_ == tape_->numbers.size(); }

 private:
  CrewTape* tape_;
  CrewMode mode_;
  std::size_t place_ = 0;
  std::list<CrewTape>::iterator next_started_ = tape_->started.begin();
};

/// The versions of one object, and who may come to it.
class CrewProtocol {
 public:
  explicit CrewProtocol(World& world, std::string_view name = {});

  /// All procedures of one read or write are called by one task, which does not read what it
  /// writes, nor the other way round, in between.
  void reader_entry(CrewTask& task, SourceLocation where = SourceLocation::current());
  void reader_exit(SourceLocation where = SourceLocation::current());
  void writer_entry(CrewTask& task, SourceLocation where = SourceLocation::current());
  void writer_exit(const CrewTask& task, SourceLocation where = SourceLocation::current());

  /// A read that may be one of many, of which only the last one matters: `poll_entry` in place of
  /// `reader_entry`, and `poll_exit` to say whether it was the last.  The others leave nothing on
  /// the tape, and are not counted as readers: no writer of a replay waits for them.
  void poll_entry(CrewTask& task, SourceLocation where = SourceLocation::current());
  void poll_exit(CrewTask& task, bool is_last, SourceLocation where = SourceLocation::current());

 private:
  Mutex lock_;
  Atomic<std::uint64_t> version_;
  Atomic<std::uint64_t> total_readers_;  // of this version, that have left
  Atomic<std::int64_t> active_readers_;  // means nothing in a replay
};

/// A value that many tasks may read at a time, or one may change.
///
///     orrery::CrewObject<int> account(world, 100, "account");
///     const int seen = account.read(task, [](const int& x) { return x; });
///     account.write(task, [](int& x) { x -= 10; });
///     account.wait_until(task, [](const int& x) { return x < 50; });
///
/// A replay (`CrewMode::replay`, the same program, the tape of the recorded run) gives each read
/// the value that it had, under any schedule.
template <typename T>
class CrewObject {
 public:
  explicit CrewObject(World& world, T initial = {}, std::string_view name = {})
      : protocol_(world, name), value_(world, std::move(initial), name) {}

  template <typename Function>
  auto read(CrewTask& task, Function function, SourceLocation where = SourceLocation::current()) {
    protocol_.reader_entry(task, where);
    auto result = function(value_.load(where));
    protocol_.reader_exit(where);
    return result;
  }
  template <typename Function>
  void write(CrewTask& task, Function function, SourceLocation where = SourceLocation::current()) {
    protocol_.writer_entry(task, where);
    T value = value_.load(where);
    function(value);
    value_.store(std::move(value), where);
    protocol_.writer_exit(task, where);
  }
  /// Reads until the value is as wanted: of all these reads only the last one is on the tape.
  template <typename Predicate>
  void wait_until(CrewTask& task, Predicate is_wanted,
                  SourceLocation where = SourceLocation::current()) {
    bool is_last = false;
    while (!is_last) {
      protocol_.poll_entry(task, where);
      is_last = is_wanted(value_.load(where));
      protocol_.poll_exit(task, is_last, where);
    }
  }
  /// The value without a visible operation, for checks after everybody has joined.
  [[nodiscard]] const T& unobserved() const { return value_.unobserved(); }

 private:
  CrewProtocol protocol_;
  Shared<T> value_;
};

}  // namespace orrery
