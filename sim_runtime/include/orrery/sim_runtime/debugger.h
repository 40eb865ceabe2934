/* What a debugger reads of a run, and what it may ask of it.
 *
 * Plain data, so that it needs no debug information of ours.  A debugger that has stopped the
 * process calls `orrery_debugger_look` and reads what that returns; it sets
 * `orrery_debugger_control` to be stopped at an operation.  All is of the run on the calling
 * thread.  The extension of gdb that comes with Orrery lives on it; whoever writes another one
 * looks at the version first.
 *
 *     (gdb) print orrery_debugger_look()->running
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_DEBUGGER_VERSION 1U

/* Where a task stands that does not run: what a debugger needs to unwind its stack (x86-64). */
typedef struct OrreryDebuggerRegisters {
  uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
} OrreryDebuggerRegisters;

typedef struct OrreryDebuggerTask {
  uint32_t task;
  int32_t rank;            /* of an MPI program; -1: it belongs to none */
  uint32_t operations;     /* that it has begun */
  uint32_t start_number;   /* which of the tasks that began in the same function, from 1; or 0 */
  uint64_t start_function; /* 0: unknown */
  const char* state;       /* "running", "ready", "waiting", "polling", "sleeping", "ended" */
  const char* operation;   /* the last that it has begun: "receive" */
  int32_t peer;            /* of a message, -1: any */
  int32_t tag;             /* likewise */
  uint64_t object;         /* 0: none */
  int64_t deadline_ps;     /* when it gives up; -1: never */
  const OrreryDebuggerRegisters* registers; /* null: it runs, has not begun, or has ended */
  char name[64];                            /* cut; may be empty */
} OrreryDebuggerTask;

/* Sent, and not received yet. */
typedef struct OrreryDebuggerMessage {
  uint32_t sender; /* the operation that sent it: its task, and number */
  uint32_t number;
  uint32_t context; /* its communicator */
  int32_t source, destination, tag;
  uint64_t size_bytes;
  const char* state; /* "on its way", "arrived", ... */
  int64_t date_ps;   /* when it arrives, or has; -1: unknown */
} OrreryDebuggerMessage;

/* Begun, and no message has come for it. */
typedef struct OrreryDebuggerReceive {
  uint32_t task; /* the operation that began it */
  uint32_t number;
  uint32_t context;
  int32_t rank, source, tag; /* source and tag -1: any */
} OrreryDebuggerReceive;

typedef struct OrreryDebuggerView {
  uint32_t version;
  uint32_t running; /* task; UINT32_MAX: none, no run is under way */
  uint64_t steps;
  int64_t now_ps;
  const OrreryDebuggerTask* tasks;
  uint64_t task_count;
  const OrreryDebuggerMessage* messages;
  uint64_t message_count;
  const OrreryDebuggerReceive* receives;
  uint64_t receive_count;
} OrreryDebuggerView;

/* Valid until the next call.  Takes no memory from the program's heap, nor from the C library's. */
const OrreryDebuggerView* orrery_debugger_look(void);

#define ORRERY_DEBUGGER_WATCHES_MAX 32U
#define ORRERY_DEBUGGER_WATCH_BYTES_MAX 64U

/* Memory that is compared before each operation. */
typedef struct OrreryDebuggerWatch {
  uint64_t address;
  uint32_t size_bytes;
  unsigned char last[ORRERY_DEBUGGER_WATCH_BYTES_MAX];
} OrreryDebuggerWatch;

typedef struct OrreryDebuggerControl {
  uint32_t version;
  uint32_t is_on; /* set when a run begins; else nothing here is looked at */
  /* Stop once, before the first operation that fits all of these. */
  uint32_t has_target;
  int64_t task;    /* -1: any */
  int64_t rank;    /* whose first task; -1: any */
  int64_t number;  /* this one of its operations, from 1, or a later one */
  int64_t date_ps; /* not before this date */
  /* Stop before each operation; or before those at which watched memory is not what it was. */
  uint32_t stops_always;
  uint32_t watch_count;
  OrreryDebuggerWatch watches[ORRERY_DEBUGGER_WATCHES_MAX];
} OrreryDebuggerControl;

extern OrreryDebuggerControl orrery_debugger_control;

enum OrreryDebuggerReason {
  ORRERY_DEBUGGER_TARGET = 1,
  ORRERY_DEBUGGER_CHANGED = 2,
  ORRERY_DEBUGGER_OPERATION = 3
};

/* Called when a run is about to begin on the calling thread: for breakpoints that set the control.
 */
void orrery_debugger_run_begins(void);
/* Called, on the stack of the task that acts, where the control asks for a stop: for breakpoints.
 */
void orrery_debugger_stopped(uint32_t reason);

#ifdef __cplusplus
}
#endif
