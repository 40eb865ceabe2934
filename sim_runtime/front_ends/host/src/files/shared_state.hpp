// What tasks of a program share outside of its memory: they change it one after the other, and wait
// for changes.
#pragma once

#include <cerrno>
#include <climits>
#include <cstdint>
#include <vector>

#include "open_file.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {

/// Is it by a cancellation that the calling thread's waiting has ended?
[[nodiscard]] inline bool is_wait_cancelled() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->cancellation.ends_waits;
}

/// Tells a task that looks at several states that one of them has changed.
class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { guarded_runtime().object_forget(&changes_); }

  /// Waits unless something has changed already.  False: until the deadline.
  bool wait(std::int64_t deadline) {
    return guarded_runtime().futex_wait(&changes_, 0, any_bits, deadline, /*is_programs=*/0,
                                        place_of_call()) != ETIMEDOUT;
  }
  /// Whoever changes something does this in any case: whether somebody waits already is in no order
  /// with changes of different states.
  void changed() {
    guarded_runtime().futex_wake(&changes_, INT_MAX, any_bits, nullptr, 0, 0, place_of_call());
    ++changes_;
  }

 private:
  static constexpr std::uint32_t any_bits = 0xffffffffU;
  std::uint32_t changes_ = 0;
};

/// What several tasks look at and change: one at a time, each after what the one before it did.
class SharedState {
 public:
  /// A call that has its turn, until it returns.
  class Turn {
   public:
    explicit Turn(SharedState& state) : state_(state), place_(place_of_call()) { begin(); }
    ~Turn() {
      if (is_programs_) state_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Lets others have theirs until one of them has changed something, or the date has come.
    /// False, with `errno`: the thread is cancelled, and the call ends.
    bool wait_for_change(std::int64_t deadline = ORRERY_NEVER) {
      const std::uint32_t seen = state_.changes_;
      state_.unlock();
      const bool has_changed = state_.wait(seen, deadline);
      begin();
      if (has_changed || !is_wait_cancelled()) return true;
      errno = EINTR;
      return false;
    }

   private:
    void begin() {
      if (!is_programs_) return;
      note_place_of_call(place_);
      state_.lock();
      note_place_of_call(place_);  // others have called meanwhile
    }
    SharedState& state_;
    std::uintptr_t place_;
    bool is_programs_ = running().user != nullptr;  ///< else the run is over
  };

  SharedState() = default;
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;
  virtual ~SharedState() {
    if (running().user == nullptr) return;
    guarded_runtime().object_forget(&is_order_locked);
    guarded_runtime().object_forget(&changes_);
    guarded_runtime().object_forget(this);
  }

  /// What `look` finds in it; from then on the watcher, if there is one, is told of changes.
  template <typename Look>
  auto watch(Watcher* watcher, const Look& look) {
    const Turn turn(*this);
    if (watcher != nullptr) {
      const HostScope ours;
      watchers_.push_back(watcher);
    }
    return look();
  }
  virtual void forget(const Watcher& watcher) {
    const Turn turn(*this);
    std::erase(watchers_, &watcher);
  }

 protected:
  /// Called by who has the turn.
  void changed() {
    if (running().user == nullptr) return;
    // Who waits before the wake-up sleeps until then, and who comes after it need not wait: so that
    // follows from the order of these two, which a replay has.  When a sleeper goes on does not
    // matter: it is none from here on.
    if (sleepers_ > 0) {
      guarded_runtime().futex_wake(&changes_, INT_MAX, any_bits, nullptr, 0, 0, place_of_call());
    }
    sleepers_ = 0;
    ++changes_;
    for (Watcher* const watcher : watchers_) watcher->changed();
  }

 private:
  static constexpr std::uint32_t any_bits = 0xffffffffU;

  void lock() {
    ComputingScope::charge_ahead(place_of_call());
    const std::uint32_t flags = ORRERY_MUTEX_HOSTS | (is_locked_ ? ORRERY_MUTEX_MARKED : 0);
    guarded_runtime().mutex_lock(this, flags, ORRERY_LOCK_WAIT, ORRERY_NEVER, place_of_call());
    is_locked_ = true;
  }
  void unlock() {
    guarded_runtime().mutex_unlock(this, ORRERY_MUTEX_HOSTS | ORRERY_MUTEX_MARKED, place_of_call());
    is_locked_ = false;
  }
  bool wait(std::uint32_t seen, std::int64_t deadline) {
    ++sleepers_;
    return guarded_runtime().futex_wait(&changes_, seen, any_bits, deadline, /*is_programs=*/0,
                                        place_of_call()) != ETIMEDOUT;
  }

  bool is_locked_ = false;
  std::uint32_t changes_ = 0;
  std::uint32_t sleepers_ = 0;  ///< since the last of them
  std::vector<Watcher*> watchers_;

 public:
  /// In a replay of real threads, which had a lock for what they did to it: stands for that lock.
  /// Not the first member: where the state lies is its own lock.
  bool is_order_locked = false;
};

}  // namespace orrery::host
