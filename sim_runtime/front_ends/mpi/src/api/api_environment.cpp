// MPI 3.1, chapters 8 and 12: start, end, clock, names and errors.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "communicators/communicator_making.hpp"
#include "messages/requests.hpp"
#include "messages/waiting.hpp"
#include "ranks/leaks.hpp"

using namespace orrery::mpi;

namespace {

constexpr double seconds_per_picosecond = 1e-12;
// A program that waits by asking for the time again and again is taken to have spent this much.
constexpr std::uint32_t wtime_repeats_before_sleep = 100;
constexpr std::int64_t spin_duration_picoseconds = 1'000'000;
// It spends a hundredth of what it has waited, so that a wait for seconds takes some 1,000 calls.
constexpr std::int64_t waited_per_spin = 100;

int initialise(const Call& call, int required, const int* argc, char*** argv) {
  if (call.state.phase != Phase::before_init)
    call.fail_always(Misuse::outside_init_and_finalize,
                     "MPI was initialised before, and can be only once (MPI 3.1, section 8.7)");
  call.state.phase = Phase::running;
  call.state.initialised_at = call.pc;
  call.table.set_wait_teller(tell_of_wait);
  call.state.thread_level = required;
  call.state.main_thread = call.table.current_thread();
  describe_environment(call, argc, argv);
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Init(int* argc, char*** argv) {
  return initialise(ORRERY_CALL_ANY_TIME("MPI_Init"), MPI_THREAD_SINGLE, argc, argv);
}
ORRERY_PROFILED(MPI_Init);

ORRERY_MPI_API int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Init_thread");
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
    call.fail_always(Misuse::invalid_argument,
                     "argument required is %d, and is not one of the four levels (MPI 3.1, section "
                     "12.4.3)",
                     required);
  if (const int error = call.check_result(provided, "provided")) return error;
  *provided = required;
  return initialise(call, required, argc, argv);
}
ORRERY_PROFILED(MPI_Init_thread);

ORRERY_MPI_API int MPI_Finalize(void) {
  const Call call = ORRERY_CALL("MPI_Finalize");
  check_main_thread(call);
  // Libraries hang what is to be done at the end on MPI_COMM_SELF: it goes first, while all of MPI
  // still works (section 8.7.1).
  const auto kept = objects_of_libraries(call.state);
  if (const int error = delete_attributes(call, holder_of(call.state, call.state.self)))
    return error;
  if (const int error = delete_attributes(call, holder_of(call.state, call.state.world)))
    return error;
  if (call.state.checks_use) note_leaks(call, kept);
  call.state.phase = Phase::finalized;
  call.table.finalized();
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Finalize);

ORRERY_MPI_API void orrery_front_end_exit(std::uintptr_t pc) {
  Job* const job = current_job();
  RankState* const state = job == nullptr ? nullptr : job->current_rank();
  if (state == nullptr || state->phase != Phase::running) return;
  const Call call{"MPI_Finalize", pc, *job, *state, job->table()};
  call.fail_always_between(Misuse::outside_init_and_finalize,
                           {state->rank, state->initialised_at, "initialised here"},
                           "rank %d ends without it, and every process that called MPI_Init must "
                           "call it (MPI 3.1, section 8.7)",
                           state->rank);
}

ORRERY_MPI_API int MPI_Initialized(int* flag) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Initialized");
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = call.state.phase != Phase::before_init ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Initialized);

ORRERY_MPI_API int MPI_Finalized(int* flag) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Finalized");
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = call.state.phase == Phase::finalized ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Finalized);

ORRERY_MPI_API int MPI_Abort(MPI_Comm comm, int errorcode) {
  const Call call = ORRERY_CALL("MPI_Abort");
  (void)comm;  // the whole job ends, as the standard recommends and Open MPI does
  call.table.abort_job(errorcode, call.pc);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Abort);

ORRERY_MPI_API int MPI_Query_thread(int* provided) {
  const Call call = ORRERY_CALL_BY_ANY_THREAD("MPI_Query_thread");
  if (const int error = call.check_result(provided, "provided")) return error;
  *provided = call.state.thread_level;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Query_thread);

ORRERY_MPI_API int MPI_Is_thread_main(int* flag) {
  const Call call = ORRERY_CALL_BY_ANY_THREAD("MPI_Is_thread_main");
  if (const int error = call.check_result(flag, "flag")) return error;
  *flag = call.table.current_thread() == call.state.main_thread ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Is_thread_main);

ORRERY_MPI_API int MPI_Get_version(int* version, int* subversion) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Get_version");
  if (const int error = call.check_result(version, "version")) return error;
  if (const int error = call.check_result(subversion, "subversion")) return error;
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_version);

ORRERY_MPI_API int MPI_Get_library_version(char* version, int* resultlen) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Get_library_version");
  if (const int error = call.check_result(version, "version")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  *resultlen = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                             "Orrery (interface of MPI %d.%d, handles of Open MPI 4.1)",
                             MPI_VERSION, MPI_SUBVERSION);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_library_version);

ORRERY_MPI_API int MPI_Get_processor_name(char* name, int* resultlen) {
  const Call call = ORRERY_CALL("MPI_Get_processor_name");
  if (const int error = call.check_result(name, "name")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  const int length = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", call.table.host_name());
  *resultlen = std::min(length, MPI_MAX_PROCESSOR_NAME - 1);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Get_processor_name);

ORRERY_MPI_API double MPI_Wtime(void) {
  const Call call = ORRERY_CALL_ANY_TIME("MPI_Wtime");
  RankState& state = call.state;
  std::int64_t now = call.table.read_clock(ORRERY_CLOCK_WTIME);
  const bool repeats = now == state.last_wtime;
  state.wtime_repeats = repeats ? state.wtime_repeats + 1 : 0;
  if (state.wtime_repeats == 0) state.first_wtime = now;
  if (state.wtime_repeats > wtime_repeats_before_sleep) {
    // Virtual time does not pass while a program computes: a busy wait would never end.
    const std::int64_t waited = now - state.first_wtime;
    call.table.sleep(std::max(spin_duration_picoseconds, waited / waited_per_spin), call.pc);
    now = call.table.read_clock(ORRERY_CLOCK_WTIME);
  }
  state.last_wtime = now;
  return static_cast<double>(now) * seconds_per_picosecond;
}
ORRERY_PROFILED(MPI_Wtime);

ORRERY_MPI_API double MPI_Wtick(void) {
  return seconds_per_picosecond;
}
ORRERY_PROFILED(MPI_Wtick);
