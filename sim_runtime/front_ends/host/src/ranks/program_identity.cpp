#include "program_identity.hpp"

#include "files/user_files.hpp"
#include "threads.hpp"

namespace orrery::host {
namespace {

/// Beyond what the system gives to any process: so a number that reaches the system after all hits
/// nobody.
constexpr pid_t first_process_number = 5'000'000;
constexpr pid_t process_numbers_of_a_rank = 16'384;

/// Of a thread: programs get such by who has started whom as the how many-th.
std::string of_thread(const char* what, const ThreadContext& thread) {
  return what + (' ' + thread.path());
}

std::optional<std::int64_t> recorded_number(const char* what, const ThreadContext& thread) {
  const std::int32_t rank = running().user->rank();
  const FilesCall call;
  return call.files().outside().recorded_number(rank, of_thread(what, thread).c_str());
}

/// How a log says what an arena tells: of its lists, as real threads' do; or of all that it does,
/// which words keep their names for.  (Logs of simulated runs had the former before.)
constexpr std::int64_t lists_told = 1;
constexpr std::int64_t contents_told = 2;

ArenaWanted arena_wanted(std::int64_t number, std::int64_t told) {
  using Telling = ThreadArena::Telling;
  ArenaWanted wanted{.number = static_cast<std::uint32_t>(number)};
  if (told == lists_told) wanted.telling = Telling::lists;
  if (told == contents_told) wanted.telling = Telling::contents;
  wanted.keeps_words = told == contents_told;
  return wanted;
}

std::optional<ArenaWanted> new_arena(const ThreadContext& thread) {
  const std::int32_t rank = running().user->rank();
  const FilesCall call;
  OutsideFiles& outside = call.files().outside();
  const std::optional<std::uint32_t> number = outside.new_arena();
  if (!number) return std::nullopt;
  outside.note_number(rank, of_thread("arena", thread).c_str(), *number);
  outside.note_number(rank, of_thread("blocks", thread).c_str(), contents_told);
  outside.note_number(rank, of_thread("sequences", thread).c_str(), 1);
  outside.note_number(rank, of_thread("arenas-grow", thread).c_str(), 1);
  return arena_wanted(*number, contents_told);
}

/// How a log of a simulated run says which functions a place is counted by; 1: without these.
constexpr int signal_waits_counted = 2;

void note_for_replay(const char* what, std::int64_t number) {
  const std::int32_t rank = running().user->rank();
  const FilesCall call;
  call.files().outside().note_for_replay(rank, what, number);
}

std::optional<int> recorded_number(const char* what) {
  if (running().user == nullptr) return std::nullopt;
  const std::int32_t rank = running().user->rank();
  const FilesCall call;
  const auto number = call.files().outside().recorded_number(rank, what);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

pthread_t shown_handle(const ThreadContext& thread) {
  const auto handle = recorded_number("thread", thread);
  return handle ? static_cast<pthread_t>(*handle) : thread.handle();
}

std::optional<ArenaWanted> wanted_arena(const ThreadContext& thread) {
  const auto number = recorded_number("arena", thread);
  if (!number) return new_arena(thread);
  return arena_wanted(*number, recorded_number("blocks", thread).value_or(0));
}

bool can_arena_grow(const ThreadContext& thread) {
  return recorded_number("arenas-grow", thread).value_or(0) != 0;
}

bool are_sequences_kept(const ThreadContext& thread) {
  return recorded_number("sequences", thread).value_or(0) != 0;
}

bool are_transfers_kept(const ThreadContext& thread) {
  return recorded_number("transfers", thread).value_or(0) != 0;
}

bool are_signals_kept(const ThreadContext& thread) {
  return recorded_number("signals", thread).value_or(0) != 0;
}

std::uint64_t recorded_handlers(const ThreadContext& thread) {
  return static_cast<std::uint64_t>(recorded_number("handlers", thread).value_or(0));
}

AnswersKept which_answers_are_kept(const ThreadContext& thread) {
  const std::int64_t kept = recorded_number("answers", thread).value_or(0);
  return kept < 0 || kept > 2 ? AnswersKept::none : static_cast<AnswersKept>(kept);
}

std::optional<std::uint64_t> recorded_cancellation(const ThreadContext& thread) {
  if (!recorded_number("cancellations")) return std::nullopt;
  const std::int64_t place = recorded_number("cancelled", thread).value_or(0);
  return place < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(place));
}

bool are_signal_waits_counted(const ThreadContext& thread) {
  const int counted = recorded_number("cancellations").value_or(signal_waits_counted);
  return counted == signal_waits_counted || are_signals_kept(thread);
}

void note_cancellations() {
  note_for_replay("cancellations", signal_waits_counted);
}

void note_cancelled(const ThreadContext& thread, std::uint64_t place) {
  note_for_replay(of_thread("cancelled", thread).c_str(), static_cast<std::int64_t>(place));
}

pid_t process_number() {
  const pid_t own = first_process_number + running().user->rank() * process_numbers_of_a_rank;
  return recorded_number("process").value_or(own);
}

pid_t system_number(const ThreadContext& thread) {
  const auto recorded = recorded_number("number", thread);
  if (recorded) return static_cast<pid_t>(*recorded);
  return process_number() + static_cast<pid_t>(thread.handle()) - 1;
}

// The system gives a number again when it has been through all of them: then the younger one has
// it.
const ThreadContext* find_system_number(pid_t number) {
  const ThreadContext* found = nullptr;
  for (const ThreadContext& one : running().user->threads) {
    const bool is_there = !one.is_helper && numbered_thread(one.handle()) != nullptr;
    if (is_there && system_number(one) == number) found = &one;
  }
  return found;
}

pid_t parent_number() {
  return first_process_number - 1;
}

int processor_count() {
  return recorded_number("processors").value_or(simulated_cores);
}

int own_processor_count() {
  return recorded_number("own-processors").value_or(simulated_cores);
}

}  // namespace orrery::host
