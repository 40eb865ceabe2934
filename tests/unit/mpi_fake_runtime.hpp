// A small runtime behind the table of C functions, to test the MPI front end without the machine.
//
// Every rank is a thread, but only one runs at a time and they take turns in rank order, so a test
// is the same every time.  Messages arrive at once; a finding is an exception that ends the job.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "../../sim_runtime/front_ends/mpi/include/mpi.h"

extern "C" int orrery_front_end_attach(const OrreryRuntime*);

namespace fake {

struct Outcome {
  std::string kind;        ///< of the first finding; empty: none; "deadlock" if all ranks wait
  std::string class_name;  ///< of its kind: `truncation`
  std::string message;     ///< of the finding
  std::vector<std::string> noted;  ///< classes and messages of findings that did not end the job
  int rank = -1;                   ///< that made it
  int other_rank = -1;             ///< of the second place, if it has one
  int messages = 0;                ///< sent in all
};

class Runtime {
 public:
  /// Sends of more bytes than this wait for their receive.
  std::size_t eager_bytes = 65536;
  /// Which of several complete requests a select takes.
  std::function<std::size_t(std::size_t)> pick = [](std::size_t) { return std::size_t{0}; };

  Outcome run(int ranks, const std::function<void(int)>& program);

 private:
  struct Ended {};  // unwinds a rank
  struct Message {
    OrreryEnvelope envelope;
    std::vector<unsigned char> bytes;
    OrreryRequest sender;
  };
  struct State {
    std::uint32_t flags = 0;
    OrreryEnvelope envelope{};
    std::vector<unsigned char> bytes;
    bool released = false;
    bool blocking = false;
  };

  static Runtime& self() { return *current_; }
  static bool fits(const OrreryEnvelope& pattern, const OrreryEnvelope& message) {
    return pattern.context == message.context && pattern.destination == message.destination &&
           (pattern.source == ORRERY_ANY_SOURCE || pattern.source == message.source) &&
           (pattern.tag == ORRERY_ANY_TAG || pattern.tag == message.tag);
  }
  bool complete(OrreryRequest id) { return (requests_[id].flags & ORRERY_REQUEST_COMPLETE) != 0; }
  void finish(OrreryRequest id) {
    requests_[id].flags |= ORRERY_REQUEST_COMPLETE;
    if (requests_[id].released) requests_.erase(id);
  }
  void hand_over(OrreryRequest receive, const Message& message) {
    requests_[receive].envelope = message.envelope;
    requests_[receive].bytes = message.bytes;
    finish(receive);
    finish(message.sender);
  }
  OrreryRequest post(const OrreryEnvelope& envelope, const void* data, OrrerySendMode mode);
  OrreryRequest expect(const OrreryEnvelope& pattern);
  std::vector<std::int32_t> ready(const OrreryRequest* ids, std::int32_t count);
  void take_turn(int rank);
  void pass_turn();
  void end_job(const std::string& kind, const std::string& message);
  template <typename Condition>
  void wait_until(Condition condition);
  void run_rank(int rank, const std::function<void(int)>& program);
  static OrreryRuntime make_table();
  static std::int32_t select(const OrreryRequest*, std::int32_t, OrrerySelect, std::int32_t*,
                             std::uintptr_t);
  static std::int32_t has_receive(const OrreryEnvelope* message);
  static std::int32_t cancel(OrreryRequest id, std::uintptr_t);
  static std::int32_t probe(const OrreryEnvelope* pattern, std::int32_t poll, OrreryEnvelope* found,
                            std::uintptr_t);
  static std::int32_t claim(const OrreryEnvelope* pattern, std::int32_t poll, OrreryEnvelope* found,
                            OrreryRequest* message, std::uintptr_t);
  static void finding_between(const char* kind, const char* message, const OrreryPlace* here,
                              const OrreryPlace* there);

  static inline thread_local Runtime* current_ = nullptr;
  static inline thread_local int rank_ = -1;

  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0;
  int ranks_ = 0;
  bool over_ = false;
  std::uint64_t progress_ = 0;
  std::vector<bool> alive_;
  std::vector<std::uint64_t> blocked_at_;  // progress when the rank found nothing to do, or 0
  std::map<OrreryRequest, State> requests_;
  std::deque<Message> messages_;
  std::map<OrreryRequest, Message> claimed_;
  std::deque<std::pair<OrreryRequest, OrreryEnvelope>> receives_;
  OrreryRequest next_request_ = 1;
  std::int64_t now_ = 0;
  Outcome outcome_;
};

inline OrreryRequest Runtime::post(const OrreryEnvelope& envelope, const void* data,
                                   OrrerySendMode mode) {
  ++progress_;
  ++outcome_.messages;
  const OrreryRequest id = next_request_++;
  requests_[id];
  const auto* bytes = static_cast<const unsigned char*>(data);
  Message message{envelope, {}, id};
  if (envelope.size_bytes > 0) message.bytes.assign(bytes, bytes + envelope.size_bytes);
  const bool waits = mode == ORRERY_SEND_SYNCHRONOUS ||
                     (mode == ORRERY_SEND_STANDARD && envelope.size_bytes > eager_bytes);
  if (!waits) requests_[id].flags |= ORRERY_REQUEST_COMPLETE;
  for (auto position = receives_.begin(); position != receives_.end(); ++position) {
    if (!fits(position->second, envelope)) continue;
    const OrreryRequest receive = position->first;
    receives_.erase(position);
    hand_over(receive, message);
    return id;
  }
  messages_.push_back(std::move(message));
  return id;
}

inline OrreryRequest Runtime::expect(const OrreryEnvelope& pattern) {
  ++progress_;
  const OrreryRequest id = next_request_++;
  requests_[id].flags = ORRERY_REQUEST_RECEIVE;
  for (auto position = messages_.begin(); position != messages_.end(); ++position) {
    if (!fits(pattern, position->envelope)) continue;
    const Message message = std::move(*position);
    messages_.erase(position);
    hand_over(id, message);
    return id;
  }
  receives_.emplace_back(id, pattern);
  return id;
}

inline std::vector<std::int32_t> Runtime::ready(const OrreryRequest* ids, std::int32_t count) {
  std::vector<std::int32_t> found;
  for (std::int32_t index = 0; index < count; ++index)
    if (ids[index] != 0 && complete(ids[index])) found.push_back(index);
  return found;
}

inline void Runtime::take_turn(int rank) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return over_ || turn_ == rank; });
  if (over_) throw Ended{};
}

inline void Runtime::pass_turn() {
  {
    const std::lock_guard lock(mutex_);
    for (int step = 1; step <= ranks_; ++step) {
      turn_ = (rank_ + step) % ranks_;
      if (alive_[static_cast<std::size_t>(turn_)]) break;
    }
  }
  changed_.notify_all();
}

inline void Runtime::end_job(const std::string& kind, const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (outcome_.kind.empty()) {
      const std::size_t slash = std::min(kind.find('/'), kind.size());
      outcome_.kind = kind.substr(0, slash);
      if (slash < kind.size()) outcome_.class_name = kind.substr(slash + 1);
      outcome_.message = message;
      outcome_.rank = rank_;
    }
    over_ = true;
  }
  changed_.notify_all();
  throw Ended{};
}

template <typename Condition>
void Runtime::wait_until(Condition condition) {
  const auto me = static_cast<std::size_t>(rank_);
  while (!condition()) {
    blocked_at_[me] = progress_ + 1;
    bool all_blocked = true;
    for (std::size_t rank = 0; rank < alive_.size(); ++rank)
      all_blocked = all_blocked && (!alive_[rank] || blocked_at_[rank] == progress_ + 1);
    if (all_blocked) end_job("deadlock", "all ranks wait");
    pass_turn();
    take_turn(rank_);
  }
  blocked_at_[me] = 0;
}

inline std::int32_t Runtime::select(const OrreryRequest* ids, std::int32_t count, OrrerySelect mode,
                                    std::int32_t* indices, std::uintptr_t) {
  Runtime& runtime = self();
  std::int32_t wanted = 0;
  for (std::int32_t index = 0; index < count; ++index) wanted += ids[index] != 0 ? 1 : 0;
  const bool all = mode == ORRERY_SELECT_ALL || mode == ORRERY_SELECT_POLL_ALL;
  const auto enough = [&] {
    const auto found = static_cast<std::int32_t>(runtime.ready(ids, count).size());
    return all ? found == wanted : found > 0;
  };
  if (mode < ORRERY_SELECT_POLL_ANY) {
    runtime.wait_until(enough);
  } else if (!enough()) {
    ++runtime.progress_;
    runtime.pass_turn();
    runtime.take_turn(rank_);
    return 0;
  }
  auto found = runtime.ready(ids, count);
  if (mode == ORRERY_SELECT_ANY || mode == ORRERY_SELECT_POLL_ANY)
    found = {found[runtime.pick(found.size())]};
  for (std::size_t place = 0; place < found.size(); ++place) indices[place] = found[place];
  return static_cast<std::int32_t>(found.size());
}

inline std::int32_t Runtime::has_receive(const OrreryEnvelope* message) {
  for (const auto& [id, pattern] : self().receives_) {
    if (!self().requests_[id].blocking && fits(pattern, *message)) return 1;
  }
  return 0;
}

inline void Runtime::finding_between(const char* kind, const char* message, const OrreryPlace*,
                                     const OrreryPlace* there) {
  self().outcome_.other_rank = there->rank;
  self().end_job(kind, message);
}

inline std::int32_t Runtime::cancel(OrreryRequest id, std::uintptr_t) {
  auto& receives = self().receives_;
  for (auto position = receives.begin(); position != receives.end(); ++position) {
    if (position->first != id) continue;
    receives.erase(position);
    self().requests_[id].flags |= ORRERY_REQUEST_CANCELLED | ORRERY_REQUEST_COMPLETE;
    return 1;
  }
  return 0;
}

inline std::int32_t Runtime::probe(const OrreryEnvelope* pattern, std::int32_t poll,
                                   OrreryEnvelope* found, std::uintptr_t) {
  const auto arrived = [&] {
    for (const Message& message : self().messages_) {
      if (!fits(*pattern, message.envelope)) continue;
      *found = message.envelope;
      return true;
    }
    return false;
  };
  if (poll == 0) self().wait_until(arrived);
  if (arrived()) return 1;
  ++self().progress_;
  self().pass_turn();
  self().take_turn(rank_);
  return 0;
}

// The message leaves the queue; its sender hears of it when the receive has begun.
inline std::int32_t Runtime::claim(const OrreryEnvelope* pattern, std::int32_t poll,
                                   OrreryEnvelope* found, OrreryRequest* message,
                                   std::uintptr_t pc) {
  if (probe(pattern, poll, found, pc) == 0) return 0;
  auto& messages = self().messages_;
  for (auto position = messages.begin(); position != messages.end(); ++position) {
    if (!fits(*pattern, position->envelope)) continue;
    *message = self().next_request_++;
    self().requests_[*message].flags = ORRERY_REQUEST_RECEIVE;
    self().claimed_[*message] = std::move(*position);
    messages.erase(position);
    break;
  }
  return 1;
}

/// What takes time, is written or is noted elsewhere, and nowhere here.
inline void ignore_the_rest(OrreryRuntime& table) {
  table.yield = [](std::uintptr_t) {};
  table.output = [](std::int32_t, const char*, std::size_t) {};
  table.finalized = [] {};
  table.compute = [](std::int64_t, std::uintptr_t) {};
  table.set_wait_teller = [](OrreryWaitTeller) {};
  table.collective_begun = [](const char*, const char*) {};
  table.wants_loans = [] { return 0; };
}

inline OrreryRuntime Runtime::make_table() {
  OrreryRuntime table{};
  table.version = ORRERY_RUNTIME_VERSION;
  table.size_bytes = sizeof(OrreryRuntime);
  table.rank = [] { return static_cast<std::int32_t>(rank_); };
  table.rank_count = [] { return static_cast<std::int32_t>(self().ranks_); };
  table.host_name = [] { return "node7"; };
  table.send = [](const OrreryEnvelope* envelope, const void* data, OrrerySendMode mode,
                  std::uintptr_t) -> std::uint32_t {
    const OrreryRequest id = self().post(*envelope, data, mode);
    self().wait_until([&] { return self().complete(id); });
    return ORRERY_REQUEST_COMPLETE;
  };
  table.start_send = [](const OrreryEnvelope* envelope, const void* data, OrrerySendMode mode,
                        std::uintptr_t) { return self().post(*envelope, data, mode); };
  table.receive = [](const OrreryEnvelope* pattern, std::uintptr_t) {
    const OrreryRequest id = self().expect(*pattern);
    self().requests_[id].blocking = true;
    self().wait_until([&] { return self().complete(id); });
    return id;
  };
  table.start_receive = [](const OrreryEnvelope* pattern, std::uintptr_t) {
    return self().expect(*pattern);
  };
  table.select = &Runtime::select;
  table.inspect = [](OrreryRequest id, OrreryEnvelope* envelope) {
    *envelope = self().requests_[id].envelope;
    return self().requests_[id].flags;
  };
  table.payload = [](OrreryRequest id) {
    return static_cast<const void*>(self().requests_[id].bytes.data());
  };
  table.release = [](OrreryRequest id) {
    self().requests_[id].released = true;
    if (self().complete(id)) self().requests_.erase(id);
  };
  table.cancel = &Runtime::cancel;
  table.probe = &Runtime::probe;
  table.claim = &Runtime::claim;
  table.start_claimed = [](OrreryRequest message, std::uintptr_t) {
    self().hand_over(message, self().claimed_[message]);
    self().claimed_.erase(message);
    ++self().progress_;
  };
  table.start_event = [](std::uintptr_t) {
    const OrreryRequest id = self().next_request_++;
    self().requests_[id];
    return id;
  };
  table.complete_event = [](OrreryRequest id) {
    ++self().progress_;
    self().finish(id);
  };
  table.now = [] { return self().now_; };
  table.read_clock = [](std::uint32_t) { return self().now_; };
  table.sleep = [](std::int64_t duration, std::uintptr_t) { self().now_ += duration; };
  table.draw = [](std::uint64_t bound, std::uintptr_t) {
    return static_cast<std::uint64_t>(self().pick(static_cast<std::size_t>(bound)));
  };
  table.finding = [](const char* kind, const char* message, std::uintptr_t) {
    self().end_job(kind, message);
  };
  table.note_finding = [](const char* kind, const char* message, const OrreryPlace*,
                          const OrreryPlace*) {
    self().outcome_.noted.push_back(std::string(kind) + ": " + message);
  };
  table.exit_process = [](std::int32_t, std::uintptr_t) { throw Ended{}; };
  table.abort_job = [](std::int32_t status, std::uintptr_t) {
    self().end_job("exit", std::to_string(status));
  };
  table.has_receive = &Runtime::has_receive;
  table.finding_between = &Runtime::finding_between;
  table.input = [](std::uint64_t measured) { return measured; };
  table.left_open = [](const OrreryLeftOpen*) { return std::uint64_t{0}; };
  ignore_the_rest(table);
  table.checks_use = [] { return 1; };
  table.program_memory = [](std::uint64_t) -> void* { return nullptr; };
  table.current_thread = [] { return static_cast<OrreryThread>(rank_ + 1); };
  return table;
}

inline void Runtime::run_rank(int rank, const std::function<void(int)>& program) {
  current_ = this;
  rank_ = rank;
  try {
    take_turn(rank);
    program(rank);
  } catch (const Ended&) {  // the reason is in the outcome
  }
  {
    const std::lock_guard lock(mutex_);
    alive_[static_cast<std::size_t>(rank)] = false;
    ++progress_;
  }
  pass_turn();
}

inline Outcome Runtime::run(int ranks, const std::function<void(int)>& program) {
  static const OrreryRuntime table = make_table();
  if (orrery_front_end_attach(&table) != 0) {
    Outcome refused;
    refused.kind = "attach";
    refused.message = "refused";
    return refused;
  }
  ranks_ = ranks;
  alive_.assign(static_cast<std::size_t>(ranks), true);
  blocked_at_.assign(static_cast<std::size_t>(ranks), 0);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([this, rank, &program] { run_rank(rank, program); });
  for (auto& thread : threads) thread.join();
  orrery_front_end_attach(nullptr);
  return outcome_;
}

/// Runs a program between MPI_Init and MPI_Finalize on every rank.
inline Outcome run(Runtime& runtime, int ranks, const std::function<void(int)>& program) {
  return runtime.run(ranks, [&](int rank) {
    MPI_Init(nullptr, nullptr);
    program(rank);
    MPI_Finalize();
  });
}
inline Outcome run(int ranks, const std::function<void(int)>& program) {
  Runtime runtime;
  return run(runtime, ranks, program);
}

}  // namespace fake
