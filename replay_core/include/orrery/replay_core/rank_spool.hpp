// What a rank of a real MPI job leaves while it is recorded: the layout of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <orrery/sim_runtime/clock_kinds.hpp>

namespace orrery::rank_spool {

/// A rank's file is mapped into the rank, so that whatever ends it, be it SIGKILL, leaves all that
/// it has written: a header of one page, then records.  Written and read on machines of one kind,
/// by one version.  Numbers in records are LEB128: seven bits a byte, the lowest first.
inline constexpr std::uint64_t magic = 0x314c4f4f5053524fU;  // "ORSPOOL1"
inline constexpr std::size_t header_bytes = 4096;
/// In the directory of the job; a rank's file is `rank-N`, and rank 0 names the program in this
/// one: the path, the build id, the directory, then the arguments, each ended by a zero byte.
inline constexpr const char* program_file = "program";
/// The variables of the environment that name the program and its build id, where another file runs
/// in its place.
inline constexpr const char* program_variable = "ORRERY_RECORD_PROGRAM";
inline constexpr const char* build_id_variable = "ORRERY_RECORD_BUILD_ID";

inline constexpr const char* rank_file_prefix = "rank-";

/// What a record says.  It begins with a number: the kind in the low three bits, above them the
/// number that is named first.
enum class Record : std::uint8_t {
  source = 0,          ///< a call that is over: the source + 1
  begun = 1,           ///< a receive that is under way: nothing.  It is counted among the sources
  resolved = 2,        ///< how many sources began after it; then the source + 1
  poll_succeeded = 3,  ///< how many polls failed before it
  selection = 4,       ///< among how many; then how many are reported; then each: the gap before it
  cancelled = 5,       ///< a request is being cancelled: as what `counts_started` says, + 1; 0: it
                       ///< is no receive that names its source, or began long ago
  cancel_resolved = 6,  ///< how many were cancelled after it; then 1: in time, 0: too late
  reading = 7,  ///< a `ClockKind`; then how much later than before it showed each of several dates,
                ///< zigzag, and how many these are.  `inner`: a draw, then its value
};
inline constexpr unsigned kind_bits = 3;

/// Why a rank has stopped to record before its end.
enum class Cut : std::uint32_t {
  none = 0,
  disk,      ///< its file could not grow: `system_error` says why
  threads,   ///< a second thread has made calls of MPI whose outcome is kept
  spawn,     ///< it has made processes, or connected to others
  win_test,  ///< it has polled a window
};

/// How a rank has ended, as far as it could tell.
enum class End : std::uint32_t {
  unknown = 0,    ///< it could tell nothing: SIGKILL, `_exit`, or its machine
  finalized = 1,  ///< has called MPI_Finalize, and then what `end_value` is, if anything
  aborted = 2,    ///< MPI_Abort, with `end_value`
  exited = 3,     ///< without MPI_Finalize, with status `end_value`
  signalled = 4,  ///< by the signal `end_value`
};

/// What a rank has used; bits.
enum Use : std::uint32_t {
  // what is not in the log
  one_sided = 1,
  shared_file_pointers = 2,
  readings_of_threads = 4,  ///< another thread than the first has read a clock, or drawn
  // what is
  process_number = 8,
  processor_count = 16,
  own_processor_count = 32,  ///< those that it may run on
};

/// Dates that a clock has shown at equal distances.  The last ones of each stand in the header, so
/// that a program that waits for a date by reading a clock writes no record each time.
struct ClockRun {
  std::int64_t date_ns;  ///< the last one, from the clock's origin
  std::int64_t step_ns;
  std::uint64_t count;         ///< of steps that are in no record ...
  std::uint64_t record_bytes;  ///< ... unless there are so many bytes of records
};

/// What a rank finds as its standard input.
enum class StandardInput : std::uint32_t {
  none = 0,  ///< nothing is there
  file = 1,  ///< it is kept in the file `stdin-N`, if it was read
  pipe = 2,  ///< from the launcher, which keeps it in the file `stdin`
};

struct Header {
  std::uint64_t magic_number;
  std::uint32_t rank;
  std::uint32_t ranks;
  std::uint64_t record_bytes;   ///< behind the header, and valid
  std::uint64_t failed_polls;   ///< since the last one that succeeded
  std::uint32_t is_in_receive;  ///< inside a blocking call that will be a source
  std::uint32_t cut;            ///< `Cut`
  std::int32_t system_error;
  std::uint32_t uses;  ///< `Use`
  std::uint32_t end;   ///< `End`
  std::int32_t end_value;
  std::uint32_t has_exit_status;
  std::int32_t exit_status;      ///< after MPI_Finalize
  std::uint64_t end_time_ns;     ///< by the clock on the wall: who was first?
  std::uint64_t program_hash;    ///< of what `program_file` holds: do all ranks run the same?
  std::uint32_t standard_input;  ///< `StandardInput`
  std::uint32_t has_read_standard_input;  ///< known when the rank ends by itself
  ClockRun clock_runs[clock_kinds];
  ClockOrigins clock_origins;
  char host_name[256];  ///< empty: it has not asked
  std::int32_t process_number;
  std::int32_t processor_count;
  std::int32_t own_processor_count;
  std::uint32_t end_thread;  ///< whose doing its end was
};
static_assert(sizeof(Header) <= header_bytes && std::is_trivially_copyable_v<Header>);

/// What else a rank has looked at outside, in the order of time: the file `inputs-N` has one such
/// after the other, each followed by the name and the value.
enum class NoteKind : std::uint32_t {
  status = 0,    ///< of a file: whether it is there, and what it is
  content = 1,   ///< of a file, or the names in a directory: in a file of its own
  variable = 2,  ///< of the environment; the value as in `ProgramInputs::environment`
  replaced = 3,  ///< as `status`; from now on it is of the program's making
};
struct Note {
  std::uint64_t time_ns;  ///< by the clock on the wall
  NoteKind kind;
  std::uint32_t name_bytes;
  std::uint32_t value_bytes;
  std::uint32_t file_kind;  ///< `InputFile::Kind`, and what else that has
  std::uint32_t mode;
  std::uint64_t bytes;
  std::int64_t modified_s;
};
static_assert(std::is_trivially_copyable_v<Note>);

/// What was in a file when the first rank looked into it: `content-` and the path's hash.  An empty
/// one also stands for a file that the program was about to make or replace, so that nobody takes
/// its work for an input.
inline constexpr const char* content_file_prefix = "content-";
/// A note of a variable of that name, which none of the environment has: the program's `argv[0]`.
inline constexpr const char* called_as_name = "=called 0";
inline constexpr const char* inputs_file_prefix = "inputs-";
inline constexpr const char* standard_input_file = "stdin";

}  // namespace orrery::rank_spool
