// Objects that many threads may read at a time, or one may change, for programs of real threads:
// the coarse objects of Instant Replay (LeBlanc and Mellor-Crummey 1987: concurrent reads,
// exclusive writes).  Needs a C++17 compiler and nothing of Orrery's.
//
// By itself a lock and a value.  `orrery record --method instant-replay` gives each object a
// version, and each thread a tape of those that its entries met, whoever built the program; a
// replay lets an entry in when its version is there.  `orrery/sim_runtime/crew_object.hpp` has the
// same for tasks of a simulation, with the protocol itself in view.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace orrery::threads {

/// The four procedures of the paper, for what a program keeps elsewhere.
///
///     rates_lock.writer_entry();
///     rates["EUR"] = 1.08;
///     rates_lock.writer_exit();
class CrewProtocol {
 public:
  void reader_entry() { lock_.lock_shared(); }
  void reader_exit() { lock_.unlock_shared(); }
  void writer_entry() { lock_.lock(); }
  void writer_exit() {
    // Asked before the lock is given away, told behind it: who is woken need not wait once more.
    const bool has_waiters = waiters_ > 0;
    lock_.unlock();
    if (has_waiters) changed_.notify_all();
  }

  /// Comes back as a reader that has found what it asks for: `reader_exit` ends that, too.  It
  /// sleeps while nobody writes.
  template <typename Predicate>
  void reader_entry_when(Predicate is_wanted) {
    reader_entry();
    while (!is_wanted()) {
      reader_exit();
      sleep_until(is_wanted);
      reader_entry();
    }
  }

 private:
  // With the lock as a writer, or a write could come between the last look and the sleep.
  template <typename Predicate>
  void sleep_until(Predicate& is_wanted) {
    std::unique_lock<std::shared_mutex> held(lock_);
    ++waiters_;
    changed_.wait(held, [&] { return is_wanted(); });
    --waiters_;
  }

  std::shared_mutex lock_;
  std::condition_variable_any changed_;
  std::size_t waiters_ = 0;  // for a change; by the lock
};

/// A value behind them.  Nothing that a function leads out of it is protected any more.
///
///     orrery::threads::CrewObject<int> account(100);
///     const int seen = account.read([](const int& x) { return x; });
///     account.write([](int& x) { x -= 10; });
///     account.wait_until([](const int& x) { return x < 50; });
template <typename T>
class CrewObject {
 public:
  explicit CrewObject(T initial = {}) : value_(std::move(initial)) {}
  CrewObject(const CrewObject&) = delete;
  CrewObject& operator=(const CrewObject&) = delete;

  /// What the function returns, as a copy.
  template <typename Function>
  auto read(Function function) const {
    protocol_.reader_entry();
    const Exit<&CrewProtocol::reader_exit> exit{protocol_};
    return function(std::as_const(value_));
  }
  template <typename Function>
  auto write(Function function) {
    protocol_.writer_entry();
    const Exit<&CrewProtocol::writer_exit> exit{protocol_};
    return function(value_);
  }
  /// Until a read finds the value as it is wanted.
  template <typename Predicate>
  void wait_until(Predicate is_wanted) const {
    protocol_.reader_entry_when([&] { return is_wanted(std::as_const(value_)); });
    protocol_.reader_exit();
  }

 private:
  /// Also where the function throws.
  template <void (CrewProtocol::*exit)()>
  struct Exit {
    CrewProtocol& protocol;
    ~Exit() { (protocol.*exit)(); }
  };

  mutable CrewProtocol protocol_;
  T value_;
};

}  // namespace orrery::threads
