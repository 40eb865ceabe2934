// Who watches: recorders, detectors, pictures.  They never steer.
#pragma once

#include <cstdint>
#include <span>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// What an observer wants to be told.  What nobody wants costs a load and a branch.
class EventMask {
 public:
  constexpr EventMask() = default;
  static constexpr EventMask none() { return {}; }
  /// Every event; not tasks, steps, choices, accesses or files.
  static constexpr EventMask all_events() { return EventMask(event_bits); }
  static constexpr EventMask of(OperationKind kind) {
    return EventMask(std::uint64_t{1} << static_cast<unsigned>(kind));
  }
  static constexpr EventMask tasks() { return EventMask(task_bit); }
  static constexpr EventMask steps() { return EventMask(step_bit); }
  static constexpr EventMask choices() { return EventMask(choice_bit); }
  static constexpr EventMask accesses() { return EventMask(access_bit | lone_access_bit); }
  /// Accesses, but for those of a program while all other threads that it ever had have been
  /// joined: they come after all that others did, and before all that others will do.
  static constexpr EventMask accesses_among_threads() { return EventMask(access_bit); }
  /// What the two above differ by.
  static constexpr EventMask lone_accesses() { return EventMask(lone_access_bit); }
  static constexpr EventMask matching() { return EventMask(matching_bit); }
  /// No call: `Outcome::files`, when the run ends.
  static constexpr EventMask files() { return EventMask(file_bit); }
  static constexpr EventMask loans() { return EventMask(loan_bit); }
  static constexpr EventMask accesses_at_once() { return EventMask(access_at_once_bit); }
  static constexpr EventMask outcomes() { return EventMask(outcome_bit); }
  static constexpr EventMask allocations() { return EventMask(allocation_bit); }

  [[nodiscard]] constexpr bool has(OperationKind kind) const {
    return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool has_any(EventMask other) const { return (bits_ & other.bits_) != 0; }
  friend constexpr EventMask operator|(EventMask a, EventMask b) {
    return EventMask(a.bits_ | b.bits_);
  }
  friend constexpr bool operator==(EventMask, EventMask) = default;

 private:
  static_assert(static_cast<unsigned>(OperationKind::count_) <= 53);
  static constexpr std::uint64_t allocation_bit = std::uint64_t{1} << 53U;
  static constexpr std::uint64_t lone_access_bit = std::uint64_t{1} << 54U;
  static constexpr std::uint64_t outcome_bit = std::uint64_t{1} << 55U;
  static constexpr std::uint64_t access_at_once_bit = std::uint64_t{1} << 56U;
  static constexpr std::uint64_t loan_bit = std::uint64_t{1} << 57U;
  static constexpr std::uint64_t file_bit = std::uint64_t{1} << 58U;
  static constexpr std::uint64_t matching_bit = std::uint64_t{1} << 59U;
  static constexpr std::uint64_t task_bit = std::uint64_t{1} << 60U;
  static constexpr std::uint64_t step_bit = std::uint64_t{1} << 61U;
  static constexpr std::uint64_t choice_bit = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t access_bit = std::uint64_t{1} << 63U;
  static constexpr std::uint64_t event_bits = allocation_bit - 1;
  explicit constexpr EventMask(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// What happened.  Two runs are *the same* when they have the same events in (id, kind, object,
/// matched, payload_hash); the date is not part of an event's identity.
struct Event {
  OperationId id;  ///< whose operation; for `deliver` and `transfer` the send's
  OperationKind kind = OperationKind::none;
  bool timed_out = false;                  ///< the operation ended by its deadline
  MemoryOrder order = MemoryOrder::plain;  ///< of an access or a fence
  ObjectId object;
  OperationId matched;  ///< receive, probe: the send taken; lock: the release it follows; join: the
                        ///< end; wait and select: the operation that completed the request
  std::uint64_t payload_hash = 0;  ///< of a message's bytes, or the value read, written or drawn;
                                   ///< barrier: how often all had met there when this one arrived
  std::int32_t peer = -1;          ///< rank at the other end, where there is one
  std::int32_t tag = -1;
  std::uint64_t size_bytes = 0;  ///< of a message or access
  VirtualTime time;
  std::uint64_t step = 0;
  const SourceLocation* where = nullptr;  ///< valid during the call only
  ObjectId gives_up;  ///< condition_wait: the mutex, where the wait begins; none where it ends
};

/// One thing that happens to messages and to those who want them, as matching sees it.
struct MatchingStep {
  enum class Kind : std::uint8_t {
    sent,      ///< by `send`
    posted,    ///< a receive has begun; `taken` follows at once or later, or never
    taken,     ///< the receive `receiver` has got the message of `send`: nobody else will
    seen,      ///< a probe, `receiver`, has found it, and it is still there
    withdrawn  ///< the receive `receiver` was cancelled
  };
  Kind kind = Kind::sent;
  OperationId send;      ///< the operation that sent the message; none of `posted`, `withdrawn`
  OperationId receiver;  ///< the operation that began the receive, or the probe; none of `sent`
  std::uint32_t context = 0;
  /// Ranks of the whole job, and the tag.  Of `sent` what the message has, otherwise what the
  /// receiver asks for: source and tag may be wildcards.
  std::int32_t source = any_source;
  std::int32_t destination = 0;
  std::int32_t tag = any_tag;
  bool is_call = false;  ///< of `sent`: answered where it is delivered, nobody receives it
  const SourceLocation* where = nullptr;  ///< of `sent`, `posted`, `seen`; valid during the call
};

/// Is it the same event, in the sense above?
[[nodiscard]] constexpr bool is_same_event(const Event& a, const Event& b) {
  return a.id == b.id && a.kind == b.kind && a.object == b.object && a.matched == b.matched &&
         a.payload_hash == b.payload_hash && a.timed_out == b.timed_out;
}

enum class AccessKind : std::uint8_t { read, write };
using Address = std::uintptr_t;
using ProgramCounter = std::uintptr_t;

/// One memory access, in two words: there may be a thousand million in a run.
class MemoryAccess {
 public:
  static constexpr std::uint32_t size_bytes_max = 0x7fff;  ///< what is longer comes in pieces

  constexpr MemoryAccess() = default;
  constexpr MemoryAccess(Address address, std::uint32_t size_bytes, AccessKind kind,
                         ProgramCounter counter)
      : place_(address | std::uint64_t{size_bytes} << address_bits |
               (kind == AccessKind::write ? write_bit : 0)),
        counter_(counter) {}

  [[nodiscard]] constexpr Address address() const {
    return place_ & ((std::uint64_t{1} << address_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t size_bytes() const {
    return place_ >> address_bits & size_bytes_max;
  }
  [[nodiscard]] constexpr AccessKind kind() const {
    return (place_ & write_bit) != 0 ? AccessKind::write : AccessKind::read;
  }
  [[nodiscard]] constexpr ProgramCounter counter() const { return counter_; }

 private:
  static constexpr unsigned address_bits = 48;
  static constexpr std::uint64_t write_bit = std::uint64_t{1} << 63U;
  std::uint64_t place_ = 0;
  std::uint64_t counter_ = 0;
};

/// Bytes from `begin` on and before `end`.
struct AddressRange {
  Address begin = 0;
  Address end = 0;
};

/// Memory of a program that an operation of a front end has, from the call that begins it to the
/// one that ends it.  Texts without an own remark are constants of the front end.
struct MemoryLoan {
  /// What the operation does with it.  The program may read what is only read, and what is updated
  /// from elsewhere; it must leave alone what the operation writes.
  enum class Use : std::uint8_t { reads, writes, updates };

  std::uint64_t number = 0;  ///< in this run, from 1 on
  Use use = Use::reads;
  std::span<const AddressRange> ranges;  ///< in any order; valid during the call
  Address base = 0;                      ///< bytes are counted from here
  const char* finding_class = "";        ///< of what is found: `buffer in use`
  const char* operation = "";            ///< `MPI_Isend`
  /// What the memory is, for people: `rank 1's part of a window`; valid during the call.  Empty:
  /// the operation's buffer.
  const char* owner = "";
  const char* role = "";     ///< of the line below: `started here`
  const char* ends_by = "";  ///< behind `until`: `a wait or a test completes it`
  const char* section = "";  ///< of the standard of the front end, which says so: `3.7.2`
  TaskId task;               ///< that began it
  const SourceLocation* where = nullptr;  ///< of that call; valid during this one
};

/// Who watches.  Calls come on the stack of the task that acts; an observer must not call back
/// into the machine.  One observer serves one run at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin_run(const RunInfo&) {}
  /// Asked once, after `begin_run`.
  [[nodiscard]] virtual EventMask interest() const = 0;
  /// Does it neither print nor call other code of whoever made it?  A program's own streams and
  /// what `getopt` knows may then stay in their places while it is called, which saves time at each
  /// operation.
  [[nodiscard]] virtual bool is_quiet() const { return false; }
  virtual void on_event(const Event&) {}
  /// What becomes of each message (interest `matching`).  A receive that ends is an event besides.
  virtual void on_matching(const MatchingStep&) {}
  /// A task comes to be, and has done nothing yet (interest `tasks`).  What the predecessors have
  /// done so far happens before all that it does: who starts it, or after a crash all tasks of the
  /// process that is started again.  None for the root task.
  virtual void on_task(TaskId, std::span<const TaskId> /*predecessors*/) {}
  /// Every step that was taken, asked or not (interest `steps`): together with the answers below
  /// this is the whole run.
  virtual void on_step(const Alternative&) {}
  /// Every question that was asked, but for steps, and its answer (interest `choices`).  For
  /// `step` questions only `index` tells; they are announced too.
  virtual void on_choice(const ChoicePoint&, std::size_t /*index*/) {}
  virtual void on_value(const ValueQuestion&, std::uint64_t /*answer*/) {}
  /// How an operation has gone that could have gone otherwise (interest `outcomes`), before its
  /// event.
  virtual void on_outcome(OperationId, OperationKind, const OpenOutcome&) {}
  /// A memory access of instrumented code (interest `accesses`): a narrow call of its own.  With
  /// the interest `accesses_at_once` it comes just before the access is done, so that
  /// `Names::place_here` knows how the program came there; once for the same bytes and kind of
  /// access between two calls of the program's into the machine.
  virtual void on_access(TaskId, const MemoryAccess&) {}
  /// What a task has accessed since its last visible operation, in order, before it or anybody else
  /// does another one: many may come in one call.  Of accesses of one kind to the same bytes within
  /// that stretch only the first need be told.
  virtual void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
    for (const MemoryAccess& access : accesses) on_access(task, access);
  }
  /// Memory has been given back, a block or the stack of a task that has ended (interest
  /// `accesses`; of `accesses_at_once`, where a block is written by who frees it, and `allocations`
  /// only the stack): what is accessed there from now on is something else.
  virtual void on_freed(Address, std::uint64_t /*size_bytes*/) {}
  /// A task has got a block of memory (interest `allocations`), just now.
  virtual void on_allocated(TaskId, Address, std::uint64_t /*size_bytes*/) {}
  /// An operation has begun that has memory of the program, and has ended (interest `loans`), by a
  /// call of `task` at `where` (null: by none of the program's).
  virtual void on_lent(const MemoryLoan&) {}
  virtual void on_returned(std::uint64_t /*loan*/, TaskId, const char* /*call*/,
                           const SourceLocation* /*where*/) {}
  virtual void end_run(const Outcome&) {}
};

}  // namespace orrery
