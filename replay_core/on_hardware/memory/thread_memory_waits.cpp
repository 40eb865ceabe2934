// Waiting for what other threads do to a word.
#include <utility>

#include "all_threads_fence.hpp"
#include "memory_record.hpp"
#include "thread_memory.hpp"
#include "waiting.hpp"

namespace orrery::on_hardware {

template <typename Take>
bool ThreadMemory::revoke(std::uint64_t accesses, const Take& take) {
  revoking_.fetch_add(1);
  if (has_fence_) AllThreadsFence::pass();
  const bool is_still_there = !is_in_hook_ && this->accesses() == accesses;
  if (is_still_there) take();
  revoking_.fetch_sub(1);
  return is_still_there;
}

namespace {

/// `from`: null, if there is no such thread any more.
template <typename Take>
bool take_from(ThreadMemory* from, std::uint64_t accesses, const Take& take) {
  if (from != nullptr) return from->revoke(accesses, take);
  take();
  return true;
}

/// A word that somebody has taken.
class TakenWord {
 public:
  explicit TakenWord(SharedWord& word) : word_(word) {}

  /// False: nobody has it any more.
  bool look() {
    seen_ = word_.state.load(std::memory_order_acquire);
    return SharedWord::is_taken(seen_);
  }
  [[nodiscard]] std::uint32_t thread() const { return SharedWord::writer(seen_) - 1; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  bool take_away(ThreadMemory* from, std::uint64_t accesses) {
    return take_from(from, accesses, [this] {
      word_.state.compare_exchange_strong(seen_, seen_ + SharedWord::one_version);
    });
  }

 private:
  SharedWord& word_;
  std::uint64_t seen_ = 0;
};

/// A word that a thread reads.
class ReadWord {
 public:
  ReadWord(ThreadMemory& reader, std::uint64_t place) : reader_(reader), place_(place) {}

  bool look() {
    seen_ = reader_.reading_of(place_);
    return seen_ != 0;
  }
  [[nodiscard]] std::uint32_t thread() const { return reader_.number(); }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  bool take_away(ThreadMemory* /*from*/, std::uint64_t accesses) {
    return reader_.revoke(accesses, [this] { reader_.has_read(seen_); });
  }

 private:
  ThreadMemory& reader_;
  std::uint64_t place_;
  std::uint64_t seen_ = 0;
};

/// A word that is a thread's own, while that is there.
class OwnedWord {
 public:
  OwnedWord(ThreadMemory& owner, std::uint64_t place, const SharedWord& word)
      : reads_(owner, place), word_(word) {}

  /// False also if the owner has made it everybody's himself.
  bool look() {
    const bool is_owned = (word_.state.load(std::memory_order_acquire) & SharedWord::owned) != 0;
    return is_owned && reads_.look();
  }
  [[nodiscard]] std::uint32_t thread() const { return reads_.thread(); }
  [[nodiscard]] std::uint64_t seen() const { return reads_.seen(); }
  bool take_away(ThreadMemory* from, std::uint64_t accesses) {
    return reads_.take_away(from, accesses);
  }

 private:
  ReadWord reads_;
  const SharedWord& word_;
};

/// What a thread has of its own, while another asks for some of that.
class AskedThread {
 public:
  AskedThread(const std::atomic<std::uint32_t>& asked, std::uint32_t bits)
      : asked_(asked), bits_(bits) {}

  [[nodiscard]] bool look() const { return (asked_.load(std::memory_order_acquire) & bits_) != 0; }
  /// It is not said who asks.
  [[nodiscard]] static std::uint32_t thread() { return memory_spool::nobody; }
  [[nodiscard]] static std::uint64_t seen() { return 0; }
  static bool take_away(ThreadMemory* /*from*/, std::uint64_t /*accesses*/) { return false; }

 private:
  const std::atomic<std::uint32_t>& asked_;
  std::uint32_t bits_;
};

/// Who may be assigning a structure.
class AssigningThread {
 public:
  explicit AssigningThread(std::atomic<std::uint32_t>& mark) : mark_(mark) {}

  bool look() {
    seen_ = mark_.load(std::memory_order_acquire);
    return seen_ != 0;
  }
  [[nodiscard]] std::uint32_t thread() const { return seen_ - 1; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  bool take_away(ThreadMemory* from, std::uint64_t accesses) {
    return take_from(from, accesses, [this] { mark_.compare_exchange_strong(seen_, 0); });
  }

 private:
  std::atomic<std::uint32_t>& mark_;
  std::uint32_t seen_ = 0;
};

}  // namespace

/// Until nobody has what is waited for.  A thread that had it when it was not in a hook any more,
/// and has gone on since, has done its access: then it is taken away from it.
template <typename Place>
void ThreadMemory::wait(Place place) {
  std::uint64_t seen = 0;
  std::uint64_t seen_accesses = 0;
  for (Waiting waiting(has_fence_); place.look();) {
    answer();
    if (std::exchange(seen, place.seen()) != place.seen()) waiting.look_anew();
    ThreadMemory* const other = process_.thread(place.thread());
    const std::uint64_t accesses = other != nullptr ? other->accesses() : 0;
    if (std::exchange(seen_accesses, accesses) != accesses) waiting.look_anew();
    const bool is_in_hook = other != nullptr && other->is_in_hook();
    // What a function has told of first is in the way of whom it waits for.
    const bool is_long = may_assign_ ? waiting.is_very_long() : waiting.is_long();
    if (is_long && !waits_in_order_) {
      give_back(kept_);
      reading_[1] = 0;
      reading_[0] = 0;
    }
    const pid_t thread = other != nullptr ? other->system_thread() : 0;
    // Who slept after that would find that the other has come back, and has it again.
    const bool is_taken_away =
        waiting.has_passed(thread, is_in_hook) && place.take_away(other, accesses);
    if (!is_taken_away) waiting.pause();
  }
}

void ThreadMemory::wait_for_writer(SharedWord& word) {
  wait(TakenWord(word));
}

void ThreadMemory::wait_until_not_asked(const ThreadMemory& owner) {
  wait(AskedThread(owner.asked_, asked_for_words));
}

void ThreadMemory::wait_until_none_assigns() {
  wait(AssigningThread(process_.assigning()));
}

void ThreadMemory::wait_for_reader(ThreadMemory& reader, std::uint64_t place) {
  wait(ReadWord(reader, place));
}

void ThreadMemory::wait_for_owner(ThreadMemory& owner, std::uint64_t place) {
  wait(OwnedWord(owner, place, words_.at(place)));
}

/// Who reads it next says so again.
void ThreadMemory::wait_for_readers(std::uint64_t place, const SharedWord& word,
                                    std::uint64_t readers) {
  if (has_fence_ && word.fences.load(std::memory_order_acquire) != SharedWord::fenced) {
    words_.fence(place, [this] { have_all_fenced(); });
  }
  process_.for_each(readers, [&](ThreadMemory& other) {
    if (&other == this) return;
    if (other.reading_of(place) != 0) wait_for_reader(other, place);
    own_.learn(other.clock());
  });
  words_.readers(place).fetch_and(~readers);
}

std::uint64_t ThreadMemory::reading_of(std::uint64_t place) const {
  for (const auto& range : reading_) {
    const std::uint64_t there = range.load();
    if (there == reads_everything || WordRange::unpacked(there).has(place)) return there;
  }
  return 0;
}

void ThreadMemory::has_read(std::uint64_t range) {
  for (auto& own : reading_) {
    std::uint64_t there = range;
    own.compare_exchange_strong(there, 0);
  }
}

void ThreadMemory::learn_from_all() {
  for (std::uint32_t i = 0; i < process_.thread_count(); ++i) {
    if (i != number()) learn_from(i);
  }
}

/// Whatever comes from now on has stamps above all that it did so far.
void ThreadMemory::learn_from(std::uint32_t thread) {
  if (const ThreadMemory* const other = process_.thread(thread)) own_.learn(other->clock());
  is_behind_others_ = true;
}

}  // namespace orrery::on_hardware
