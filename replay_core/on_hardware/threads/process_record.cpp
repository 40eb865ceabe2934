#include "process_record.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include "answers.hpp"
#include "cxx_library.hpp"
#include "hooked_program.hpp"
#include "input_notes.hpp"
#include "library_calls.hpp"
#include "memory_record.hpp"
#include "next_function.hpp"
#include "own_program.hpp"
#include "process_end.hpp"
#include "program_arenas.hpp"
#include "thread_end.hpp"
#include "watching.hpp"

namespace orrery::on_hardware {

ProcessRecord process_record;
constinit thread_local ThreadRecord* own_record = nullptr;

namespace {

void complain(const char* directory) {
  std::fprintf(stderr,
               "orrery record: no file can be made (%s: %s); the program runs on unrecorded\n",
               directory, std::strerror(errno));
}

/// Does a tool of the program's own start, or the program?
bool is_the_process(const char* number) {
  return number != nullptr && std::strtol(number, nullptr, 10) == next<&::getpid>("getpid")();
}

/// An exception that passes frames of ours asks our own copy of what unwinds stacks about them:
/// that is ready when it has walked one.
void make_unwinder_ready() {
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

// Before the program's constructors: a library that is preloaded is initialised behind those that
// it needs, and before the executable.
__attribute__((constructor)) void begin() {
  const char* const directory = std::getenv("ORRERY_RECORD_DIRECTORY");
  if (directory == nullptr || !is_the_process(std::getenv("ORRERY_RECORD_PROCESS"))) return;
  make_unwinder_ready();
  begin_watching(directory);
  keeps_answers = true;
  input_notes().called_as(program_invocation_name);
  process_record.begin(directory);
  pthread_atfork(
      nullptr, [] { process_record.note(thread_spool::other_processes); },
      [] { process_record.forget(); });
}

}  // namespace

void ProcessRecord::begin(const char* directory) {
  directory_ = directory;
  const bool has_hooks = attach_hooks();
  if (has_hooks) {
    keep_libraries_to_themselves();
    fill_caches_of_cxx_library();
  }
  auto* const made = new ThreadRecord;
  const OwnProgram program;
  // Another program that has become this one in the same process has left the file.
  const bool is_open =
      made->open(directory, 0, 0, 0) ||
      (errno == EEXIST && std::remove(made->spool().path()) == 0 && made->open(directory, 0, 0, 0));
  if (!is_open || !program.write_to(directory) || !objects_.begin()) return complain(directory);
  rank_spool::Header& header = made->header().common;
  header.ranks = 1;
  header.program_hash = program.hash();
  made->header().handle = pthread_self();
  made->header().system_number = static_cast<std::uint64_t>(gettid());
  first_ = made;
  threads_ = 1;
  watch_end(header, made->spool());
  watch_rank(made->spool());
  own_record = made;
  if (std::getenv(thread_spool::objects_variable) != nullptr) note(thread_spool::objects_kept);
  if (std::getenv(thread_spool::versions_variable) != nullptr) note(thread_spool::versions_kept);
  if (has_hooks) note(thread_spool::atomics_seen);
  begin_arenas(has_hooks);
  const auto method = MemoryRecord::asked_for();
  if (method != MemoryRecord::Method::none) {
    if (!memory_record.begin(method, directory) || !begin_memory(*made)) return complain(directory);
    made->memory()->begin();
    note(thread_spool::memory_kept);
    if (has_hooks_in_libraries()) note(thread_spool::memory_of_libraries);
  }
  begin_arena(*made);
  watch_thread_end();
  is_on_ = true;
}

bool ProcessRecord::begin_memory(ThreadRecord& record) {
  if (!memory_record.is_on()) return true;
  record.set_memory(memory_record.begin_thread(record));
  return record.memory() != nullptr;
}

ThreadRecord* ProcessRecord::begin_thread(ThreadRecord& starter) {
  auto* const made = new ThreadRecord;
  const std::uint32_t number = threads_.fetch_add(1);
  if (!made->open(directory_, number, starter.number(), starter.clock()) || !begin_memory(*made)) {
    stop(thread_spool::threads_unrecorded);
    return nullptr;
  }
  made->readings().begin(on_hardware::readings().origins());
  made->readings().move_to(made->spool());
  if (first_ != nullptr) __atomic_add_fetch(&first_->header().started, 1, __ATOMIC_RELAXED);
  return made;
}

void ProcessRecord::note(thread_spool::Gap gap) {
  if (first_ != nullptr) __atomic_or_fetch(&first_->header().gaps, gap, __ATOMIC_RELAXED);
}

void ProcessRecord::note_unseen(std::size_t call) {
  if (first_ == nullptr) return;
  __atomic_or_fetch(&first_->header().unseen_calls, std::uint64_t{1} << call, __ATOMIC_RELAXED);
}

void ProcessRecord::stop(thread_spool::Gap reason) {
  is_on_ = false;
  note(reason);
}

void ProcessRecord::forget() {
  is_on_ = false;
  own_record = nullptr;
  first_ = nullptr;
}

}  // namespace orrery::on_hardware
