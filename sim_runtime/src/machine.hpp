// The state of one run, and the loop that takes it from step to step.  Open `machine_steps.cpp`
// first: there a task announces, a question is asked, and somebody goes on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/run_progress.hpp>
#include <orrery/sim_runtime/simulation.hpp>

#include "agenda.hpp"
#include "checkpoint_teller.hpp"
#include "faults.hpp"
#include "fiber_pool.hpp"
#include "machine_parts.hpp"
#include "messages.hpp"
#include "processors.hpp"
#include "program_accesses.hpp"
#include "program_threads.hpp"
#include "step_ring.hpp"
#include "task.hpp"

namespace orrery::detail {

/// The creator of objects that the machine itself makes.
inline constexpr TaskId no_task{0xffffffffU};

/// Thrown through a task's frames when the run is over and the task is not.  Not derived from
/// `std::exception`, so that programs do not take it for one of theirs.
struct RunIsOver {};

class Machine final : public Names, private PendingOperations {
 public:
  explicit Machine(SimulationOptions options);
  ~Machine() override;

  // --- runs (machine_run.cpp) ---------------------------------------------------------------
  void begin(const Program& program, Chooser& chooser, std::span<Observer* const> observers);
  /// Goes on until the run ends or `should_pause_` says so; returns false if it has ended.
  bool resume();
  Outcome end();
  [[nodiscard]] bool is_over() const { return over_; }
  /// See `orrery::go_on_alone` (machine_alone.cpp).
  void go_on_alone(std::int32_t rank, Outside& outside, Chooser& chooser,
                   std::span<Observer* const> observers);
  [[nodiscard]] const PendingOperations& pending() const { return *this; }
  SimulationOptions& options() { return options_; }
  /// Asked before each step while set; true stops the run there.
  void pause_when(std::function<bool()> condition) {
    should_pause_ = std::move(condition);
    set_attention();
  }
  /// May others print or call libraries between the steps: observers, or who stops the run there?
  [[nodiscard]] bool is_watched() const;
  /// The limit on the wall's clock counts from now.
  void restart_wall_limit();
  void request_pause();
  Simulation::OutputSink output_sink;
  /// Where to leave how far the run has come; null: nowhere.
  void set_progress(RunProgress* progress) { progress_ = progress; }
  void leave_progress();
  /// The machine whose task runs on the calling thread, or null: for the C front ends and
  /// `orrery::this_task`, which have no other way.
  static Machine* current() { return current_machine; }

  // --- what operations are made of (machine_steps.cpp) --------------------------------------
  /// Announces an operation of the running task and returns when it is its turn.  `object`, where
  /// not null, decides whether the operation is enabled.  Returns false if its deadline won.
  bool announce(const Operation& operation, SynchronizationObject* object = nullptr);
  /// May the running task go on without a word: nobody else could, nobody looks on, nothing is due?
  [[nodiscard]] bool is_alone() const { return !is_observed_ && may_go_on(); }
  /// Announces an operation of a task for which that is so, and which is enabled.
  void step_alone() {
    running_->number_operation();
    count_step();
  }
  /// As `announce`, before an access that the chooser wants to be asked about: see
  /// `Chooser::stops`.
  void stop_before(const Operation& access);
  [[nodiscard]] std::span<const MemoryRange> stops() const { return chooser_->stops(); }
  /// As `announce`, for an operation that becomes ready at a later date.
  void announce_at(const Operation& operation, VirtualTime ready);
  /// Parks the running task, within the operation that it has just executed, until somebody
  /// reparks it.  Returns false if the deadline won.
  bool sleep_on(SynchronizationObject& object, VirtualTime deadline);
  /// The state of `object` has changed: asks again for each task that is parked on it.
  void reconsider(SynchronizationObject& object) {
    if (object.first_waiter_ != nullptr) reconsider_waiters(object);
  }
  [[nodiscard]] static bool has_waiters(const SynchronizationObject& object) {
    return object.first_waiter_ != nullptr;
  }
  /// Ends the waiting of a parked task as if its deadline had come; no effect on others.
  void interrupt(TaskId task);
  /// Gives a parked task another pending operation, on another object (a notified sleeper).
  void repark(Task& task, const Operation& operation, SynchronizationObject& object);
  /// The operation just executed was a failed poll.
  void poll_failed() {
    running_->poll_failed = true;
    running_->only_spins = false;
    running_->note_idle_operation();
  }
  /// The running task is about to announce that it takes this lock.  If it has done nothing else
  /// for long, it looks for what somebody else is to change: a failed poll.
  void about_to_lock(ObjectId lock) {
    if (running_ == nullptr || running_->poll_failed || !running_->spins_on(lock)) return;
    running_->poll_failed = running_->only_spins = true;
  }
  /// The running task has taken a lock, or given one back.
  void has_locked(ObjectId lock) { running_->note_lock(lock, now_); }
  void has_unlocked() { running_->note_idle_operation(); }
  /// Asks which of several alternatives; one is taken without a question.  Returns an index.
  std::size_t choose(ChoiceKind kind, std::span<const Alternative> alternatives);
  /// A replay has left one of several alternatives: tells the observers what was asked, as if it
  /// had been, and the answer.
  void tell_chosen(ChoiceKind kind, std::span<const Alternative> alternatives, OperationId chosen);
  /// The same of a draw.
  void tell_drawn(std::uint64_t low, std::uint64_t high, std::uint64_t answer);
  std::uint64_t choose_value(ChoiceKind kind, std::uint64_t low, std::uint64_t high,
                             std::span<const std::uint32_t> weights = {});
  /// What was measured outside, under a key of its own; a replay has what was measured then.
  std::uint64_t choose_input(std::uint64_t key, std::uint64_t measured);
  /// Of what a standard leaves open, whose answers mean this in words.  `run_question`: as
  /// `OrreryLeftOpen::is_of_run`; if not 0, the key does not depend on who asks, nor when.
  std::uint64_t choose_left_open(std::span<const char* const> answers,
                                 std::span<const std::uint32_t> weights, std::int32_t run_question);
  [[nodiscard]] Chooser* constraint() const { return constraint_; }

  [[nodiscard]] bool wants(OperationKind kind) const { return wanted_.has(kind); }
  /// How the operation that the running task is about to announce has to go, for a replay; null: as
  /// it comes.
  [[nodiscard]] const OpenOutcome* expected(const Operation& operation) {
    checkpoints_.is_coming(operation.kind);
    if (__builtin_expect(constraint_ == nullptr, 1) || unwinding_) return nullptr;
    const OperationId now = running_->current_id();
    return constraint_->expects({now.task, now.number + 1}, operation);
  }
  [[nodiscard]] bool wants_outcomes() const { return wanted_.has_any(EventMask::outcomes()); }
  /// How the running task's operation has gone.
  void tell_outcome(OperationKind kind, const OpenOutcome& outcome);
  [[nodiscard]] bool wants_matching() const { return wanted_.has_any(EventMask::matching()); }
  void tell_matching(const MatchingStep& step) const;
  [[nodiscard]] bool wants_any(EventMask some) const { return wanted_.has_any(some); }
  /// What the program has made of files, when it has ended.
  void has_left(std::vector<WrittenFile> files) { outcome_.files = std::move(files); }
  [[nodiscard]] bool wants_accesses() const { return wanted_.has_any(EventMask::accesses()); }
  template <typename Function>
  void for_each_access_observer(const Function& function) const {
    for (const auto& [observer, interest] : observers_) {
      if (interest.has_any(EventMask::accesses())) function(*observer);
    }
  }
  [[nodiscard]] bool wants_accesses_at_once() const;
  /// The running task is about to access memory of the program (machine_loans.cpp).
  void tell_access(const MemoryAccess& access) const;
  void tell_allocated(const void* memory, std::size_t bytes) const;
  [[nodiscard]] bool wants_loans() const { return wanted_.has_any(EventMask::loans()); }
  /// An operation of the running task has memory of the program; gives the loan's number.
  std::uint64_t lend(MemoryLoan loan);
  /// `where`: of the running task's call that has ended the operation; null: none has.
  void return_loan(std::uint64_t loan, const char* call, const SourceLocation* where) const;
  void tell_freed(const void* memory, std::size_t bytes) const;
  /// Tells the observers; `event` needs id, kind and what is special: the rest is filled in.
  void tell(Event& event);
  /// The common case: an operation of the running task, on its pending object.
  void told(const Operation& operation, OperationId matched = {}, std::uint64_t payload_hash = 0,
            bool timed_out = false) {
    if (wants(operation.kind)) tell_operation(operation, matched, payload_hash, timed_out);
  }

  // --- tasks, processes, objects (machine_tasks.cpp) ----------------------------------------
  /// `start_function` is what a task without a name is named after.
  TaskId spawn(ProcessId process, std::string name, std::function<void()> body,
               const SourceLocation& where, Unwinding unwinding = Unwinding::exception,
               std::uintptr_t start_function = 0);
  /// On the host that the placement says, unless one is given.
  ProcessId create_process(std::string name, std::optional<std::uint32_t> host = {});
  /// Tells the network, once, that the process has done its work.
  void finish_process(ProcessId id);
  /// Spawns the first task of a process.  It starts when its creator next announces something, so
  /// that all processes of a cluster are there before the first of them runs.
  TaskId boot(ProcessId process, std::string name, std::function<void()> body,
              const SourceLocation& where, Unwinding unwinding = Unwinding::exception);
  /// Returns false if the deadline won.
  bool join(TaskId task, const SourceLocation& where, VirtualTime deadline = VirtualTime::never());
  void detach(TaskId task);
  /// Ends the running task from wherever it is.
  [[noreturn]] void leave_task();
  /// The first of those who wait for the object, and not just for their turn; null if nobody does.
  [[nodiscard]] static const Task* first_stuck_on(const SynchronizationObject& object);
  ObjectId name_object(const char* type, std::string_view name);
  /// The object that was made last, and all: where they lie is filled in by who makes them.
  [[nodiscard]] ObjectName& newest_object() { return object_names_.back(); }
  [[nodiscard]] const std::vector<ObjectName>& objects() const { return object_names_; }
  [[nodiscard]] Task& running() { return *running_; }
  [[nodiscard]] bool has_running() const { return running_ != nullptr; }
  [[nodiscard]] Task& task_at(TaskId id) { return tasks_[id.value]; }
  [[nodiscard]] Process& process_at(ProcessId id) { return processes_[id.value]; }
  [[nodiscard]] std::int32_t rank_count() const {
    return static_cast<std::int32_t>(processes_.size()) - 1;
  }
  [[nodiscard]] Process& process_of_rank(std::int32_t rank) {
    return processes_[static_cast<std::size_t>(rank) + 1];
  }
  [[nodiscard]] MessageSystem& messages() { return *messages_; }
  [[nodiscard]] Faults& faults() { return faults_; }
  [[nodiscard]] CheckpointTeller& checkpoints() { return checkpoints_; }
  [[nodiscard]] FaultCounts& fault_counts() { return outcome_.faults; }
  [[nodiscard]] FiberPool& fibers() { return fibers_; }
  [[nodiscard]] World& world() { return *world_; }
  [[nodiscard]] ProgramAccesses& program_accesses() { return program_accesses_; }
  [[nodiscard]] ProgramThreads& program_threads() { return program_threads_; }

  // --- crashes (machine_crashes.cpp) ----------------------------------------------------------
  /// Ends all other tasks of the running task's process, where they are.
  void end_other_tasks();
  /// Ends all tasks of the processes on this host, without another word from them.  If the running
  /// task is one of them, it is left (unless it is being unwound already).
  void crash_host(std::uint32_t host);
  /// Starts the processes of a host that has crashed, each with its body from the beginning.
  void restart_host(std::uint32_t host);
  /// Has the task ended for good, and whoever took its place after a crash too?
  [[nodiscard]] bool has_ended(TaskId task) const;
  /// The last operation of the task, or of whoever took its place.
  [[nodiscard]] OperationId end_operation(TaskId task) const;

  // --- time ---------------------------------------------------------------------------------
  [[nodiscard]] VirtualTime now() const { return now_; }
  /// What the clock of the running task's host shows: ahead of `now` by the fault `clock_skew`.
  [[nodiscard]] VirtualTime local_now() const { return now_ + clock_offset(); }
  /// The running task reads that clock; a replay has the date of then.
  [[nodiscard]] std::int64_t read_clock_picoseconds(ClockKind clock);
  [[nodiscard]] VirtualDuration clock_offset() const;
  [[nodiscard]] std::uint64_t steps() const { return step_; }
  /// The date of the next step; never if there is none.
  [[nodiscard]] VirtualTime next_date() const {
    return std::min(std::max(agenda_.next_date(), now_), std::max(network_event_, now_));
  }
  [[nodiscard]] Agenda& agenda() { return agenda_; }
  [[nodiscard]] NetworkStatistics network_statistics() const;
  [[nodiscard]] CollectiveCounts& collective_counts() { return collective_counts_; }
  /// The network's next own event has been moved: look at it before the next step.
  void set_network_event(VirtualTime date) { network_event_ = date; }

  /// The running task computes on its host, as `Processors` says.
  void compute(VirtualDuration duration, const SourceLocation& where);
  void compute_flops(std::uint64_t flops, const SourceLocation& where);
  void linger(VirtualDuration duration);  ///< the running task's operation takes so much longer

  // --- ends (machine_report.cpp) ------------------------------------------------------------
  /// The run ends with this finding; the running task is left (unless it is being unwound already).
  void fail(Finding finding);
  void fail(FindingKind kind, std::string message, std::vector<FindingPlace> where) {
    fail(Finding{kind, std::move(message), std::move(where)});
  }
  /// The run ends with this exception, which whoever called `run` gets; the running task is left.
  void fail_with(std::exception_ptr mistake);
  /// The same without leaving the task at once.
  void record(Finding finding);
  void record(FindingKind kind, std::string message, std::vector<FindingPlace> where) {
    record(Finding{kind, std::move(message), std::move(where)});
  }
  void fail_here(FindingKind kind, std::string message, const SourceLocation& where,
                 std::string role = "failed here") {
    fail_here(Finding{kind, std::move(message), {}}, where, std::move(role));
  }
  /// The finding's place is where the running task is.
  void fail_here(Finding finding, const SourceLocation& where, std::string role = "failed here");
  /// The program's own functions that the running task is in, the innermost first.
  [[nodiscard]] static std::vector<SourceFrame> own_stack();
  /// Notes a finding without ending the run (leaks); once: unless this run has the same already.
  void note(Finding finding);
  void note_once(Finding finding);
  [[nodiscard]] FindingPlace place_of(const SourceLocation& where, TaskId task,
                                      std::string role) const;
  /// Is the run being torn down?  Operations are then without effect.
  [[nodiscard]] bool is_unwinding() const { return unwinding_; }
  void write(int stream, std::string_view text, const SourceLocation& where);

  static void describe(const Task& task, TaskLabel& label);
  [[nodiscard]] std::string task(TaskId task) const override;
  [[nodiscard]] std::string object(ObjectId object) const override;
  [[nodiscard]] ProcessId process(TaskId task) const override;
  [[nodiscard]] std::string_view answer(std::uint64_t value) const override;
  [[nodiscard]] std::string_view call_here(const SourceLocation& where) const override;
  [[nodiscard]] FindingPlace place(const SourceLocation& where) const override;
  [[nodiscard]] FindingPlace place_here(const SourceLocation& where) const override;
  [[nodiscard]] std::vector<HeldLock> locks_here() const override;
  [[nodiscard]] std::string memory(std::uintptr_t address) const override;
  [[nodiscard]] std::optional<StackPlace> stack_place(std::uintptr_t address) const;

 private:
  // PendingOperations
  [[nodiscard]] std::size_t task_count() const override { return tasks_used_; }
  [[nodiscard]] const Operation& operation(TaskId task) const override {
    return *tasks_[task.value].pending;
  }
  [[nodiscard]] OperationId id(TaskId task) const override {
    return tasks_[task.value].current_id();
  }
  [[nodiscard]] TaskState state(TaskId task) const override { return tasks_[task.value].state; }
  [[nodiscard]] VirtualTime ready_date(TaskId task) const override {
    return tasks_[task.value].operation_actor.date;
  }
  [[nodiscard]] std::size_t default_index(const ChoicePoint& point) const override;

  // machine_waiters.cpp
  void reconsider_waiters(SynchronizationObject& object);

  // machine_steps.cpp
  /// Is there nobody to be asked before the running task's next step?
  [[nodiscard]] bool may_go_on() const {
    return constraint_ == nullptr && !running_->poll_failed && pollers_.empty() &&
           step_ + 1 < attention_step_ && now_ < network_event_ && agenda_.is_alone(now_);
  }
  void count_step() {
    ++step_;
    last_step_ = running_->current_id();
    last_step_salt_ = 0;
    questions_in_step_ = 0;
  }
  void tell_step(const Alternative& taken);
  bool park(Task& task, SynchronizationObject* object, bool enabled, VirtualTime ready);
  void enter_agenda(Task& task, VirtualTime ready);
  void set_deadline(Task& task);
  void link(Task& task, SynchronizationObject& object);
  void unlink(Task& task);
  Task* choose_next();
  Actor* choose_actor();
  std::size_t ask_step(std::span<const Alternative> alternatives);
  /// With more tasks than this, the one that goes on is probably in no cache.
  static constexpr std::size_t warm_tasks_max = 256;
  Task* take(Actor& actor);
  bool look_up();
  void step_is_over() {
    if (!pollers_.empty()) look_at_pollers();
  }
  void look_at_pollers();
  void wake_pollers();
  bool wait_for_polls();
  [[nodiscard]] bool wakes_by_itself(const Actor& actor) const;
  [[nodiscard]] bool only_sleepers_are_left() const;
  bool spinners_come_first() { return spinners_return_ != VirtualTime::never() && wake_spinners(); }
  bool wake_spinners();
  bool sleepers_wait_for_date();
  void remember_step(const Actor& actor);
  [[nodiscard]] bool is_wall_time_up() const;
  void switch_from(Task* from, Task* to);
  Fiber& hand_over(Task* from, Task* to);
  void leave_if_possible(OperationKind kind);
  void tell_operation(const Operation& operation, OperationId matched, std::uint64_t payload_hash,
                      bool timed_out);
  [[nodiscard]] std::uint64_t question_key(ChoiceKind kind);
  std::uint64_t choose_value(ChoiceKind kind, std::uint64_t low, std::uint64_t high,
                             std::span<const std::uint32_t> weights, std::uint64_t key,
                             bool is_of_run = false);
  std::size_t ask(const ChoicePoint& point);
  void tell_choice(const ChoicePoint& point, std::size_t index);
  /// One that the running operation asks.
  ChoicePoint question(ChoiceKind kind, std::span<const Alternative> alternatives);
  void set_attention();

  // machine_tasks.cpp
  Task& new_task(ProcessId process, std::string name, std::function<void()> body,
                 const SourceLocation& where, Unwinding unwinding);
  void start_booted();
  void name_after(Task& task, std::uintptr_t function);
  void tell_task(const Task& task, std::span<const TaskId> predecessors);
  void tell_child(const Task& task);
  [[nodiscard]] VirtualDuration clock_offset_of(std::uint32_t host);
  static void task_main(void* argument);
  void run_body(Task& task);
  void uncaught(const Task& task, const char* what);
  void task_ended(Task& task);
  void start_fiber(Task& task);

  // machine_stacks.cpp
  struct StackVisit;
  void answer_visit(Task* visited);
  [[nodiscard]] std::vector<SourceFrame> stack_of(const Task& task);
  /// As `place_of`, with the stack of a task that has not ended.
  [[nodiscard]] FindingPlace place_on_stack(const SourceLocation& where, const Task& task,
                                            std::string role);

  // machine_alone.cpp
  [[nodiscard]] bool is_withheld(const Task& task) const {
    return outside_ != nullptr && task.process != lone_process_;
  }
  bool bring_messages_in();
  void pass_over_tasks();

  // machine_crashes.cpp
  void silence(Task& task);
  void reap();
  [[nodiscard]] const Task& last_incarnation(TaskId task) const;

  // machine_run.cpp
  void reset(Chooser& chooser, std::span<Observer* const> observers);
  void attach(Chooser& chooser, std::span<Observer* const> observers);
  void unwind_all();

  // machine_report.cpp
  void stop(Outcome::Status status);
  void stop_at_limit(Limit limit);
  [[nodiscard]] bool has_nothing_to_come();
  void report_end();
  [[nodiscard]] bool withholds_messages() const;
  bool report_livelock();
  void report_divergence();
  void report_leaks();
  void report_output();
  void report_held(const Task& task);
  [[nodiscard]] const ObjectName* find_name(ObjectId object) const;
  friend class DeadlockReport;
  void report_deadlock();  // machine_deadlock.cpp

  // Read in each call of a program's: without a detour by the loader.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Machine* current_machine;

  Machine* previous_machine_ = nullptr;
  SimulationOptions options_;
  FiberPool fibers_;
  Agenda agenda_;
  std::unique_ptr<MessageSystem> messages_;
  Faults faults_;
  std::unique_ptr<Processors> processors_;
  std::unique_ptr<TaskEnds> task_ends_;
  std::unique_ptr<World> world_;
  ProgramAccesses program_accesses_{*this};
  ProgramThreads program_threads_{*this};
  CheckpointTeller checkpoints_{*this};
  const Program* program_ = nullptr;
  Outside* outside_ = nullptr;  // of the rank that goes on alone, if one does
  ProcessId lone_process_;
  Chooser* chooser_ = nullptr;
  Chooser* constraint_ = nullptr;  // the chooser, if it ever withholds
  std::vector<Watcher> observers_;
  EventMask wanted_;
  bool wants_steps_ = false;
  bool wants_choices_ = false;

  std::deque<Task> tasks_;  // grown once, reused from run to run
  std::size_t tasks_used_ = 0;
  std::size_t tasks_alive_ = 0;
  std::vector<Process> processes_;
  Task* running_ = nullptr;
  Task* last_ran_ = nullptr;
  std::vector<Task*> pollers_;
  std::vector<Task*> booted_;   // created, and not yet started
  std::vector<Task*> crashed_;  // their stacks are still to be unwound
  VirtualDuration poll_pause_;
  bool clock_was_read_ = false;  ///< since the last of those pauses
  VirtualTime spinners_return_;  ///< when the first poller that spins on locks does, or never
  VirtualTime now_;
  VirtualTime last_date_;  // of the virtual limit
  VirtualTime network_event_ = VirtualTime::never();
  std::uint64_t step_ = 0;
  std::uint64_t attention_step_ = 0;  // the next step at which something must be looked at
  std::uint64_t ring_start_ = 0;      // from here on the ring keeps the steps
  OperationId last_step_;
  std::uint64_t last_step_salt_ = 0;
  std::uint64_t questions_in_step_ = 0;
  std::span<const char* const> left_open_answers_;  // of the question that is being asked
  bool is_observed_ = false;                        // anything is wanted
  std::uint64_t loans_ = 0;                         // of this run
  RunProgress* progress_ = nullptr;
  std::function<bool()> should_pause_;
  bool pause_requested_ = false;
  bool paused_ = false;
  bool over_ = true;
  bool unwinding_ = false;
  std::int64_t wall_start_ns_ = 0;
  std::exception_ptr escaped_;  // thrown by a chooser or observer
  Outcome outcome_;
  CollectiveCounts collective_counts_;
  StepRing ring_;
  std::vector<ObjectName> object_names_;
  std::string name_text_;
  std::uint32_t own_objects_ = 0;
  std::unordered_map<std::uintptr_t, std::uint32_t> starts_;  // tasks, by where they began
  std::string standard_output_;  // kept where something else is expected to be a finding

  // Where this thread's C and C++ libraries keep their state: asked for once, not at each switch.
  void** exception_globals_ = nullptr;
  int* errno_location_ = nullptr;
  ThreadState host_state_;
  StackVisit* visit_ = nullptr;  // of whoever was resumed only to look at its stack
};

}  // namespace orrery::detail
