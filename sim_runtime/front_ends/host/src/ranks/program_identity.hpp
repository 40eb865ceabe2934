// Which process and which threads a simulated program takes itself for, and on how large a machine.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

#include "memory/thread_arena.hpp"
#include "rank_context.hpp"

namespace orrery::host {

/// How many cores a program is told that it has: not the machine's, since runs are to be the same
/// everywhere.
inline constexpr int simulated_cores = 4;

/// Of the process that runs; the same in every run, on every machine.  In a replay of a real run
/// that asked for it, the real one.
[[nodiscard]] pid_t process_number();
/// Who started it, in whose session: nobody that it could send anything.
[[nodiscard]] pid_t parent_number();
/// Of one of its threads: that of `main` is the process's.  In a replay of a real run, too.
[[nodiscard]] pid_t system_number(const ThreadContext& thread);
/// Which thread the program means by such a number; null: none.
[[nodiscard]] const ThreadContext* find_system_number(pid_t number);
/// What the program gets as a thread's handle: its number; in a replay of a real run what it got
/// there, where the thread was started in the same way.
[[nodiscard]] pthread_t shown_handle(const ThreadContext& thread);
/// Which arena a thread has for its memory, as it begins.
struct ArenaWanted {
  std::uint32_t number = 0;
  /// Of what it does to blocks, as accesses of the program's own.
  ThreadArena::Telling telling = ThreadArena::Telling::none;
  /// Is a word of a block the same object for ever, whoever the block is handed out to?
  bool keeps_words = false;
};
/// In a replay the one that it had in the recorded run, in a run that is to be recorded so a new
/// one; nothing: none.
[[nodiscard]] std::optional<ArenaWanted> wanted_arena(const ThreadContext& thread);
/// Does it get more memory of its own when that is full?  (Older logs have it take the rank's.)
[[nodiscard]] bool can_arena_grow(const ThreadContext& thread);
/// Does the record of the run have what the thread drew from sequences that it shares with others?
[[nodiscard]] bool are_sequences_kept(const ThreadContext& thread);
/// Does it have in which order what went through pipes did?
[[nodiscard]] bool are_transfers_kept(const ThreadContext& thread);
/// Does it have which signals came to the thread in calls?
[[nodiscard]] bool are_signals_kept(const ThreadContext& thread);
/// How many handlers of signals ran in the thread besides, in the midst of anything.
[[nodiscard]] std::uint64_t recorded_handlers(const ThreadContext& thread);
/// And what its calls came to that look at the system?
[[nodiscard]] AnswersKept which_answers_are_kept(const ThreadContext& thread);
/// Where it was cancelled in the recorded run, as `Cancellation::recorded`; nothing: that is not
/// kept.
[[nodiscard]] std::optional<std::uint64_t> recorded_cancellation(const ThreadContext& thread);
/// Does what is kept count functions that wait for signals?
[[nodiscard]] bool are_signal_waits_counted(const ThreadContext& thread);
/// For a record of the run that leaves the order of steps open: threads were cancelled, if they
/// came to act on it, and where this one did.
void note_cancellations();
void note_cancelled(const ThreadContext& thread, std::uint64_t place);
/// Of cores; of a real run, the real one.
[[nodiscard]] int processor_count();
/// How many of them it may run on.
[[nodiscard]] int own_processor_count();

}  // namespace orrery::host
