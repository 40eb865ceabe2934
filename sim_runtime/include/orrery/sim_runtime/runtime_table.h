/* The table of C functions through which front ends reach the machine.
 *
 * A front end (the MPI library, later the thread runtime) is a library of its own that programs
 * are linked with.  It holds no state of the machine and includes nothing of ours but this header.
 * In simulation `sim_runtime` fills the table in; when recording on real hardware another part
 * does.  Nothing throws across it.  All functions act for the simulated task that calls them;
 * `pc` is the return address in the user's program, for findings and timelines.
 *
 * The version goes up whenever a field changes its meaning; fields are only ever added at the end.
 */
#ifndef ORRERY_SIM_RUNTIME_RUNTIME_TABLE_H
#define ORRERY_SIM_RUNTIME_RUNTIME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_RUNTIME_VERSION 5u
#define ORRERY_NEVER INT64_MAX /* a deadline that never comes */
#define ORRERY_ANY_SOURCE (-1)
#define ORRERY_ANY_TAG (-1)
#define ORRERY_LEFT_OPEN_MAX 8u
#define ORRERY_CLOCK_WTIME 1u /* `ClockKind::wtime` */

/* Messages match by context (a communicator), source, destination (ranks of the whole job) and
 * tag.  Non-overtaking holds per (context, source, destination).  The note is what the sender's
 * front end wants the receiver's to know: it goes with the message and means nothing to others. */
typedef struct OrreryEnvelope {
  uint32_t context;
  int32_t source;
  int32_t destination;
  int32_t tag;
  uint64_t size_bytes;
  uint64_t note;
} OrreryEnvelope;

typedef enum OrrerySendMode {
  ORRERY_SEND_STANDARD = 0, /* buffers up to the eager threshold */
  ORRERY_SEND_SYNCHRONOUS = 1,
  ORRERY_SEND_BUFFERED = 2
} OrrerySendMode;

typedef enum OrreryRequestFlags {
  ORRERY_REQUEST_COMPLETE = 1,
  ORRERY_REQUEST_CANCELLED = 2,
  ORRERY_REQUEST_RECEIVE = 4,
  ORRERY_REQUEST_FAILED = 8 /* complete, and will never do: the connection to the other end is
                               broken */
} OrreryRequestFlags;

/* What a completion call waits for.  The POLL forms return at once, and park the task until
 * something else has happened when nothing is complete. */
typedef enum OrrerySelect {
  ORRERY_SELECT_ANY = 0,  /* exactly one; which, if several are complete, is a choice */
  ORRERY_SELECT_SOME = 1, /* at least one; how many of the complete ones is a choice */
  ORRERY_SELECT_ALL = 2,
  ORRERY_SELECT_POLL_ANY = 4,
  ORRERY_SELECT_POLL_SOME = 5,
  ORRERY_SELECT_POLL_ALL = 6
} OrrerySelect;

typedef uint32_t OrreryRequest; /* 0: none */

/* A line of the program, for a finding. */
typedef struct OrreryPlace {
  int32_t rank;     /* whose call it is */
  uintptr_t pc;     /* 0: not known, and left out */
  const char* role; /* `sent here` */
} OrreryPlace;

typedef enum OrreryAtomicAccess {
  ORRERY_ATOMIC_READ = 0,
  ORRERY_ATOMIC_WRITE = 1,
  ORRERY_ATOMIC_UPDATE = 2
} OrreryAtomicAccess;

typedef enum OrreryPlainAccess {
  ORRERY_PLAIN_READ = 0,
  ORRERY_PLAIN_WRITE = 1,
  ORRERY_PLAIN_READ_FOR_WRITE = 2, /* what was announced to be written before is read here, and
                                     both are done now */
  ORRERY_PLAIN_UNSHARED = 4        /* with one of the others: nobody else has touched it so far */
} OrreryPlainAccess;

struct OrreryAccess; /* orrery_hooks.h */

/* How a lock is taken. */
typedef enum OrreryLockMode {
  ORRERY_LOCK_WAIT = 0, /* until the deadline */
  ORRERY_LOCK_TRY = 1,
  ORRERY_LOCK_SHARED = 2, /* with one of the others: as one of several readers */
  ORRERY_LOCK_MARKED = 4  /* as for mutexes below */
} OrreryLockMode;

/* What a mutex is, and what its own memory says of it.  Bits. */
typedef enum OrreryMutexFlags {
  ORRERY_MUTEX_RECURSIVE = 1,
  ORRERY_MUTEX_CHECKED = 2, /* misuse is answered, not found */
  ORRERY_MUTEX_ROBUST = 4,
  ORRERY_MUTEX_MARKED = 8, /* its memory says that it is locked: if not, it is a new one */
  ORRERY_MUTEX_HOSTS = 16  /* the program has no such lock: the host guards its own by it */
} OrreryMutexFlags;

/* A thread of the program; 0: none. */
typedef uint32_t OrreryThread;
typedef void (*OrreryThreadBody)(void* argument);

/* Answers a remote call, at once or later, by `answer_call`.  Called between the steps of tasks, at
 * the date when the call is delivered, with what was given to `start_call`: it may use no other
 * function of the table, and the data are there until it answers. */
typedef void (*OrreryCallHandler)(void* argument, uint64_t call, const OrreryEnvelope* envelope,
                                  const void* data);

/* A question that a standard leaves open.  All texts outlive the run. */
typedef struct OrreryLeftOpen {
  const char* const* answers; /* what each means, for people, `{}` being who asks; `answers[0]`:
                               * the way that most libraries take */
  const uint32_t* weights;    /* how likely each is to be tried */
  uint32_t count;             /* of answers; ORRERY_LEFT_OPEN_MAX at most */
  int32_t is_of_run;          /* the same question in all runs, whoever comes to ask it first */
} OrreryLeftOpen;

/* What an operation does with memory of the program; see `MemoryLoan` in observer.hpp. */
typedef enum OrreryLoanUse {
  ORRERY_LOAN_READS = 0,
  ORRERY_LOAN_WRITES = 1,
  ORRERY_LOAN_UPDATES = 2
} OrreryLoanUse;

typedef struct OrreryRange {
  uintptr_t begin;
  uintptr_t end;
} OrreryRange;

/* Texts are constants of the front end, but for `owner`. */
typedef struct OrreryLoan {
  OrreryLoanUse use;
  const OrreryRange* ranges;
  size_t range_count;
  uintptr_t base;
  const char* finding_class;
  const char* operation;
  const char* owner;
  const char* role;
  const char* ends_by;
  const char* section;
  uintptr_t pc; /* of the call that begins the operation */
} OrreryLoan;

#define ORRERY_WAIT_HOLDERS_MAX 8u

/* What a task waits for that cannot go on, for the report of a deadlock.  The machine asks, and the
 * front end fills in what it knows. */
typedef struct OrreryWait {
  int32_t rank;           /* who waits, */
  uintptr_t pc;           /* in which call */
  OrreryEnvelope message; /* for a message, or for one of its own to be received (then with the
                           * note); context, destination and tag of a remote call */
  OrreryRequest request;  /* for this one to be complete; 0: it is none that the program knows */
  int32_t is_send;
  int32_t is_call;
  uint64_t call; /* if it is one */
  /* The answer: */
  const char* function;   /* `MPI_Recv`, which waits; null: not known */
  const char* started_by; /* `MPI_Ibarrier`, which made the request; null: not known */
  int32_t is_internal;    /* the message is none of the program's own */
  int32_t could_buffer;   /* the send might as well have been complete at once; the machine's own
                           * answer stands here before */
  int32_t holders[ORRERY_WAIT_HOLDERS_MAX]; /* ranks that must let go first */
  uint32_t holder_count;
} OrreryWait;
typedef void (*OrreryWaitTeller)(OrreryWait* wait);

typedef struct OrreryRuntime {
  uint32_t version;    /* ORRERY_RUNTIME_VERSION */
  uint32_t size_bytes; /* of this struct, as the machine was built */

  /* The job. */
  int32_t (*rank)(void); /* of the calling task's process; -1 outside a simulated process */
  int32_t (*rank_count)(void);
  const char* (*host_name)(void); /* of the calling rank; static for the run */

  /* Messages.  `data` is copied before the call returns. */
  /* Returns the flags of the send as a completed request. */
  uint32_t (*send)(const OrreryEnvelope*, const void* data, OrrerySendMode, uintptr_t pc);
  OrreryRequest (*start_send)(const OrreryEnvelope*, const void* data, OrrerySendMode,
                              uintptr_t pc);
  /* Takes a message that has arrived; returns a completed request that holds it.
   * `envelope->source` and `tag` may be wildcards. */
  OrreryRequest (*receive)(const OrreryEnvelope* pattern, uintptr_t pc);
  OrreryRequest (*start_receive)(const OrreryEnvelope* pattern, uintptr_t pc);
  /* Completes some of `count` requests (0 entries are skipped) and writes their indices, in
   * ascending order, to `indices` (room for `count`).  Returns how many; 0 for a failed poll.
   * Completed requests stay readable until `release`. */
  int32_t (*select)(const OrreryRequest* requests, int32_t count, OrrerySelect, int32_t* indices,
                    uintptr_t pc);
  /* Flags of a request; fills in the envelope of a completed receive. */
  uint32_t (*inspect)(OrreryRequest, OrreryEnvelope*);
  const void* (*payload)(OrreryRequest); /* of a completed receive, until `release` */
  void (*release)(OrreryRequest);        /* an active one goes on and is released when complete */
  int32_t (*cancel)(OrreryRequest, uintptr_t pc); /* 1: cancelled (and complete), 0: too late */
  /* Has a matching message arrived?  Blocking, or (`poll` != 0) a poll.  Returns 1 and fills in
   * `found`; 0: none has; -1: none can ever come, since the connection to its source is broken. */
  int32_t (*probe)(const OrreryEnvelope* pattern, int32_t poll, OrreryEnvelope* found,
                   uintptr_t pc);

  /* Time, in picoseconds of virtual time. */
  int64_t (*now)(void);
  void (*sleep)(int64_t duration_picoseconds, uintptr_t pc);
  void (*yield)(uintptr_t pc);

  /* Chance: a draw in [0, bound) that is a choice. */
  uint64_t (*draw)(uint64_t bound, uintptr_t pc);

  /* A finding of this kind (`mpi_usage`, `assertion`, ...) ends the run: does not return.  A class
   * may follow the kind: `mpi_usage/truncation`. */
  void (*finding)(const char* kind, const char* message, uintptr_t pc);
  /* The calling process ends with this status (not 0: a finding of kind `exit`); does not return.
   */
  void (*exit_process)(int32_t status, uintptr_t pc);
  /* All processes of the job end (MPI_Abort): a finding of kind `exit`; does not return. */
  void (*abort_job)(int32_t status, uintptr_t pc);
  /* Text of the calling process; `stream` is 1 or 2. */
  void (*output)(int32_t stream, const char* text, size_t size_bytes);

  /* Would this message, sent now, find a receive that `start_receive` has posted?  Those that
   * earlier messages on the same way are going to take do not count.  1 or 0. */
  int32_t (*has_receive)(const OrreryEnvelope* message);
  /* As `finding`, where two lines of the program do not fit together. */
  void (*finding_between)(const char* kind, const char* message, const OrreryPlace* here,
                          const OrreryPlace* there);
  /* The calling process has done its work with messages (MPI_Finalize), though it may go on. */
  void (*finalized)(void);
  /* The calling task has computed for so long, on a core of its host. */
  void (*compute)(int64_t duration_picoseconds, uintptr_t pc);
  /* What was measured outside the simulation and matters to the run: recorded.  Returns it, or in a
   * replay what was recorded. */
  uint64_t (*input)(uint64_t measured);

  /* Memory (since version 4).  An atomic: the first call comes back when its turn has come, then it
   * is done, then the second tells what came of it: the value that was read or is there now, as
   * far as eight bytes show it.  A compare-exchange that has failed has read.  `order` is as
   * __ATOMIC_SEQ_CST and its kin. */
  void (*atomic_begin)(void* address, OrreryAtomicAccess access, int32_t order, uint64_t value,
                       uintptr_t pc);
  void (*atomic_end)(void* address, OrreryAtomicAccess access, int32_t order, uint64_t value,
                     uint32_t size_bytes, uintptr_t pc);
  /* Comes back when the turn of a plain access has come. */
  void (*access_begin)(uintptr_t address, uint32_t plain_access, uintptr_t pc);
  /* What the calling task has accessed since it went on; for observers. */
  void (*accesses)(const struct OrreryAccess* accesses, size_t count);
  /* 1: somebody observes accesses in this run. */
  int32_t (*wants_accesses)(void);

  /* Whoever made the run has made a mistake, as `UsageError` says it: the run ends; does not
   * return. */
  void (*usage_error)(const char* what, const char* where, const char* hint);

  /* Threads.  Deadlines are dates of `now`, in picoseconds; results are 0 or an
   * error number as the pthread functions have them.  Objects are known by their addresses; the
   * first call with one makes it. */
  /* The new thread calls `body(argument)`, and ends when that returns or by `thread_end`.
   * `function` is what it is named after, while it has no name. */
  OrreryThread (*thread_start)(OrreryThreadBody body, void* argument, uintptr_t function,
                               uintptr_t pc);
  int32_t (*thread_join)(OrreryThread thread, int64_t deadline, uintptr_t pc);
  void (*thread_detach)(OrreryThread thread);
  void (*thread_name)(OrreryThread thread, const char* name);
  void (*thread_end)(void); /* does not return */
  /* Copies the name, if it and its end fit into `size_bytes`: 1, else 0. */
  int32_t (*thread_get_name)(OrreryThread thread, char* name, size_t size_bytes);
  void (*thread_stack)(OrreryThread thread, void** bottom, size_t* size_bytes); /* 0: the caller */
  /* Ends the waiting of a thread as if its deadline had come, if it is waiting. */
  void (*thread_interrupt)(OrreryThread thread);
  /* A visible step without any other effect, of a call that only the front end knows. */
  void (*visible_call)(uint64_t which, uintptr_t pc);

  int32_t (*mutex_lock)(void* mutex, uint32_t flags, OrreryLockMode mode, int64_t deadline,
                        uintptr_t pc);
  int32_t (*mutex_unlock)(void* mutex, uint32_t flags, uintptr_t pc);
  int32_t (*mutex_consistent)(void* mutex);
  int32_t (*condition_wait)(void* condition, void* mutex, uint32_t mutex_flags, int64_t deadline,
                            uintptr_t pc);
  void (*condition_notify)(void* condition, int32_t all, uintptr_t pc);
  int32_t (*rw_lock)(void* lock, uint32_t mode_bits, int64_t deadline, uintptr_t pc);
  int32_t (*rw_unlock)(void* lock, uintptr_t pc);
  void (*semaphore_set)(void* semaphore, uint64_t count);
  int32_t (*semaphore_acquire)(void* semaphore, OrreryLockMode mode, int64_t deadline,
                               uintptr_t pc);
  void (*semaphore_release)(void* semaphore, uintptr_t pc);
  uint64_t (*semaphore_count)(void* semaphore);
  void (*barrier_set)(void* barrier, uint32_t count);
  int32_t (*barrier_wait)(void* barrier, uintptr_t pc); /* 1: the last to arrive */
  /* 1: do it, and tell `once_end`.  `is_marked`: its memory says that it has begun. */
  int32_t (*once_begin)(void* once, int32_t is_marked, uintptr_t pc);
  void (*once_end)(void* once, int32_t succeeded, uintptr_t pc);
  /* As the system call: waits if the word still holds `expected`.  `is_programs`: the program's own
   * call, of which real runs record whether it slept. */
  int32_t (*futex_wait)(void* word, uint32_t expected, uint32_t bits, int64_t deadline,
                        int32_t is_programs, uintptr_t pc);
  /* Wakes at most `count`, and has at most `moved_count` others wait on `moved_to` instead.
   * Returns how many were woken. */
  int32_t (*futex_wake)(void* word, int32_t count, uint32_t bits, void* moved_to,
                        int32_t moved_count, int32_t is_programs, uintptr_t pc);
  /* The object ends here; if somebody holds it or waits for it, that is a finding. */
  void (*object_destroy)(void* object, uintptr_t pc);
  /* Whatever was here is another object from now on. */
  void (*object_forget)(void* object);
  /* The caller has seen, without an operation, that what is done once at `once` has been done: told
   * to those who order accesses. */
  void (*once_passed)(void* once);

  /* What is mostly the case, to be tried first.  1: the caller may go on at once, since nobody else
   * could go on now, nobody looks on and nothing is due, and the operation is done, as a step of
   * the caller's.  0: nothing has happened, and the operation is to be asked for as above.  No code
   * of others runs within, and nothing is allocated. */
  int32_t (*mutex_lock_alone)(void* mutex, uintptr_t pc);
  int32_t (*mutex_unlock_alone)(void* mutex); /* of one whose memory says that it is locked */
  int32_t (*rw_lock_alone)(void* lock, uint32_t mode_bits, uintptr_t pc);
  int32_t (*rw_unlock_alone)(void* lock);
  int32_t (*condition_notify_alone)(void* condition);
  int32_t (*semaphore_acquire_alone)(void* semaphore);
  int32_t (*semaphore_release_alone)(void* semaphore);
  /* The turn of an atomic, which the caller then does; `seen` is what one that only reads will
   * read.  A compare-exchange that is going to fail only reads. */
  int32_t (*atomic_alone)(void* address, OrreryAtomicAccess access, uint64_t seen);

  /* Work beside the program's own (since version 5).  A thread of the calling process that works
   * for a front end, under that name: it may call the program's functions, nobody waits for its
   * end, and it does not outlive the process. */
  OrreryThread (*helper_start)(OrreryThreadBody body, void* argument, const char* name,
                               uintptr_t pc);
  /* A request that the front end completes, from whatever thread: it stands for no message. */
  OrreryRequest (*start_event)(uintptr_t pc);
  void (*complete_event)(OrreryRequest event);

  /* Remote calls: messages that the front end answers in the process where they arrive, while the
   * tasks there do whatever they do.  The answer completes the request and is its payload.  `name`
   * says what is called, for people, and outlives the run.  As for messages, those of one (context,
   * source, destination) are delivered in order. */
  void (*set_call_handler)(OrreryCallHandler handler, void* argument); /* for all of this run */
  OrreryRequest (*start_call)(const OrreryEnvelope* to, const void* data, const char* name,
                              uintptr_t pc);
  void (*answer_call)(uint64_t call, const void* answer, uint64_t size_bytes);
  /* Memory of the calling process's program, all zero, as it gets its own: at the same addresses in
   * every run, and gone with it.  Null: programs have none of their own here, or no more.  The C
   * library's `free` takes it back. */
  void* (*program_memory)(uint64_t size_bytes);
  /* As `finding_between` (`there` may be null), but the run goes on.  A run has one of each class
   * and place. */
  void (*note_finding)(const char* kind, const char* message, const OrreryPlace* here,
                       const OrreryPlace* there);

  /* As `probe`, and the message that is found belongs to nobody else: `message` holds it, until
   * `release`.  Its receive begins with the second call; from then on it is a receive like others.
   */
  int32_t (*claim)(const OrreryEnvelope* pattern, int32_t poll, OrreryEnvelope* found,
                   OrreryRequest* message, uintptr_t pc);
  void (*start_claimed)(OrreryRequest message, uintptr_t pc);
  /* A choice as `draw`, but no step of the caller's, and in a timed run (reorder window 0) always
   * 0. */
  uint64_t (*left_open)(const OrreryLeftOpen* question);
  /* A collective operation (`MPI_Bcast`) has begun, by this algorithm: counted, for who asks. */
  void (*collective_begun)(const char* operation, const char* algorithm);
  /* Who knows what tasks wait for: for all of this run. */
  void (*set_wait_teller)(OrreryWaitTeller teller);
  /* 1: all wrong use is looked for; 0: only what is to be seen in a call's arguments. */
  int32_t (*checks_use)(void);
  /* The one that calls. */
  OrreryThread (*current_thread)(void);

  /* For observers: memory that the program must leave alone, or must not change, until it is
   * returned, by the call `call` of the caller at `pc` (0: by none).  `lend` gives the number of
   * the loan, from 1 on.  Neither is to be called where `wants_loans` says 0. */
  int32_t (*wants_loans)(void);
  uint64_t (*lend)(const OrreryLoan* loan);
  void (*return_loan)(uint64_t loan, const char* call, uintptr_t pc);
  /* From now on the calling thread runs a function of the program's on behalf of an operation (1),
   * and no more (0): it may access what is lent. */
  void (*acts_for_operation)(int32_t begins);

  /* As `now`, for the eyes of the program: what a clock of this kind (`ClockKind`) shows, counted
   * from when it began. */
  int64_t (*read_clock)(uint32_t kind);

  /* From now on whatever a thread waits for that `thread_interrupt` may end ends so, also what it
   * comes to later (1); no more (0).  Locks are waited for all the same.  Returns 1 if a wait has
   * ended while it was so. */
  int32_t (*thread_end_waits)(OrreryThread thread, int32_t ends);
} OrreryRuntime;

/* Exported by every front end; called by whoever hosts the program before it starts, and with null
 * when the run is over.  Returns 0, or -1 if the version does not fit. */
typedef int (*OrreryAttach)(const OrreryRuntime*);

/* Exported by front ends as `orrery_front_end_exit`; called by the host in a process that ends by
 * itself with status 0, as the last thing that happens in it.  `pc` lies in the call of `exit`, or
 * in `main`. */
typedef void (*OrreryExit)(uintptr_t pc);

#ifdef __cplusplus
}
#endif
#endif
