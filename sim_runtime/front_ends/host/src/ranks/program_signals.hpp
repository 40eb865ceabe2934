// Signals within a simulated process: they come from the program itself, never from the system.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include <signal.h>

#include "fault_frame.hpp"

namespace orrery::host {

class ThreadContext;

/// A set of signals, of the 64 that there are.
using SignalSet = std::uint64_t;
[[nodiscard]] SignalSet set_of(const sigset_t& set);
void put_set(SignalSet from, sigset_t& set);
[[nodiscard]] constexpr SignalSet bit_of(int signal) {
  return SignalSet{1} << (static_cast<unsigned>(signal) - 1U);
}
[[nodiscard]] constexpr bool is_signal(int signal) {
  return signal >= 1 && signal <= 64;
}

/// What a process does about signals, and which of its threads have some coming.  A handler runs in
/// the thread that a signal is for: at once, if that is the one which sends it, else when it next
/// comes back from a call of the runtime; a thread that sleeps, or waits for signals, is woken.
class ProgramSignals {
 public:
  /// Of the calling rank; made by its first use of signals.
  static ProgramSignals& of_this_rank();
  /// The same, or null if it has never used them.
  static ProgramSignals* known();

  int set_action(int signal, const struct sigaction* action, struct sigaction* before);
  int set_mask(int how, const sigset_t* set, sigset_t* before);
  [[nodiscard]] SignalSet mask();
  [[nodiscard]] SignalSet pending();
  /// A new thread begins with the mask of its creator.
  void inherit(pthread_t handle);
  /// For one thread, by its handle.
  void send(pthread_t handle, int signal, std::uintptr_t program_counter);
  /// For whichever thread takes it.
  void send_to_process(int signal, std::uintptr_t program_counter);
  /// Runs the handlers of what has come for the calling thread.  True: one ran.
  bool deliver(std::uintptr_t program_counter);
  /// Waits for one of these and takes it; 0 when the deadline comes first, or the thread is
  /// cancelled.
  int wait_for(SignalSet set, std::int64_t deadline, std::uintptr_t program_counter);
  /// Waits until a handler has run, or the thread is cancelled.
  void pause(std::uintptr_t program_counter);
  /// Sends SIGALRM at that date, then in each further period; a date of 0 ends it.
  void set_alarm(std::int64_t date, std::int64_t period, std::uintptr_t program_counter);
  [[nodiscard]] std::int64_t alarm_date() const { return alarm_.date; }
  [[nodiscard]] std::int64_t alarm_period() const { return alarm_.period; }

  // In a replay of real threads they are told which signals come to them in calls.  What is pending
  // here says only what may come in between.
  /// Is the calling thread?
  [[nodiscard]] static bool are_told();
  /// It is about to send one: whoever takes it does that later.
  void begin_send(std::uintptr_t program_counter);
  /// In a call that does not wait: the handlers that have run in it run.
  void run_told_handlers(std::uintptr_t program_counter);
  /// In one that waits: so do they; then what it came to, an error as a negative number.  Nothing:
  /// that is not told.
  std::optional<std::int64_t> told_wait(std::uintptr_t program_counter);
  /// It has come to that one, which is pending no more.
  int take(int signal);
  /// The same for `sigpending`; `own` is what is pending here.
  SignalSet told_pending(SignalSet own, std::uintptr_t program_counter);
  /// What there is to know of a signal that came; `info` has what it is here.
  static void tell(siginfo_t& info);

  /// A fault of the calling thread's own: its handler is called once the caller, a handler of ours,
  /// returns.  False if the program has none, or no stack is left for it.
  bool handle_fault(int signal, const siginfo_t* info, void* context);
  /// The same for `abort`, which calls the handler itself, if there is one.
  void handle_abort();
  /// Where the calling thread wants handlers of its faults to run; 0 or an error number.
  int set_alternate_stack(const stack_t* stack, stack_t* before, std::uintptr_t stack_pointer);

 private:
  struct Thread {
    SignalSet mask = 0;
    SignalSet pending = 0;
    bool may_be_woken = false;
    bool is_told = false;  ///< it is within a call in which all that comes is told
    std::uint64_t handled = 0;
    std::uintptr_t fault_frame = 0;  ///< of the last handler of a fault that has begun
    StackRange alternate;            ///< of `sigaltstack`; empty: none
  };
  struct Alarm {
    std::int64_t date = 0;
    std::int64_t period = 0;
    std::uint64_t number = 0;
  };
  friend class SignalPoint;
  Thread& thread(pthread_t handle);
  Thread& self();
  bool is_dropped(int signal, std::uintptr_t program_counter);
  void call(int signal, Thread& thread, bool is_told);
  void call_told(int signal);
  /// Which of them are handled?
  [[nodiscard]] SignalSet handled(SignalSet signals) const;
  /// Of what has come to a thread: all that does not have to wait until the thread is told.
  [[nodiscard]] SignalSet admitted(SignalSet coming, const ThreadContext& thread);
  /// Told: a signal that nobody handles does what it does when it is sent.
  bool is_dropped_at_once(SignalSet mask, int signal, std::uintptr_t program_counter);
  [[nodiscard]] pthread_t receiver_of(int signal);
  void order_taking(std::uintptr_t program_counter);
  void post(SignalSet& pending, int signal, std::uintptr_t program_counter);
  void look(std::uintptr_t program_counter);
  [[nodiscard]] bool has_handler(int signal) const;
  void leave_fault(Thread& own, std::uintptr_t stack_pointer) const;
  static void on_fault(int signal, siginfo_t* info, void* context);
  static void* run_alarm(void* argument);

  std::array<struct sigaction, 65> actions_{};
  std::deque<Thread> threads_;
  SignalSet pending_ = 0;   ///< for any thread that does not block it
  std::uint32_t news_ = 0;  ///< a futex
  Alarm alarm_;
  char order_ = 0;  ///< where it lies is a semaphore of the machine
};

/// For a crash reporter: has the program a handler of its own for its fault, which has run?
bool filter_fault(int signal, void* info, void* context);
/// For a crash reporter, after that: tells observers what the program had accessed when it died.
/// False: it was not the program that died.
bool settle_accesses();

/// Around a call in which a signal ends the waiting.
class SignalPoint {
 public:
  SignalPoint();
  ~SignalPoint();
  SignalPoint(const SignalPoint&) = delete;
  SignalPoint& operator=(const SignalPoint&) = delete;
  /// Does the program use signals at all?
  [[nodiscard]] bool is_watched() const { return signals_ != nullptr; }
  /// Has a handler run meanwhile?
  [[nodiscard]] bool was_interrupted() const;

 private:
  ProgramSignals* signals_;
  std::uint64_t handled_before_ = 0;
};

}  // namespace orrery::host
