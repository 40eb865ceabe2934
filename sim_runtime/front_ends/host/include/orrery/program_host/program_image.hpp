// An unchanged MPI program, loaded once for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <orrery/sim_runtime/computing_time.hpp>
#include <orrery/sim_runtime/memory_range.hpp>
#include <orrery/sim_runtime/preemption.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>
#include <orrery/sim_runtime/runtime_table.h>
#include <orrery/sim_runtime/written_file.hpp>

namespace orrery {

/// Which of the two images in a file (docs/decisions).
enum class ImageKind : std::uint8_t {
  plain,         ///< ordinary code, in which only atomics are calls
  instrumented,  ///< each memory access is a call too
};

/// Where the parts are that a program is hosted with, and how it is.
struct ProgramImageOptions {
  /// The front end that programs are linked with: libmpi.so.40 of ours, in `lib/orrery` beside the
  /// command.
  std::filesystem::path front_end;
  ImageKind kind = ImageKind::plain;
  /// Each rank's copy has symbols and debug information, for who reads them by the loader's names:
  /// debuggers.  Else the first one has them for all.
  bool is_debugged = false;
  /// The process ends with the image, whose copies need not be unloaded one by one.
  bool stays_loaded = false;
};

/// The front end beside a command at `command` (built or installed: `bin/orrery`).
[[nodiscard]] std::filesystem::path front_end_beside(const std::filesystem::path& command);

/// Memory that is one rank's alone, as far as it has been used.
struct RankMemoryRanges {
  std::vector<MemoryRange> variables;  ///< of its copies of the program and of its libraries
  std::vector<MemoryRange> heap;
  std::vector<MemoryRange> mappings;
};

/// What a rank's memory holds, each part as one number.  For a comparison with the same call in
/// another process that does the same, not with other versions of Orrery.
struct RankMemoryHash {
  std::uint64_t variables = 0;  ///< with those of its threads
  std::uint64_t heap = 0;
  std::uint64_t mappings = 0;
  std::uint64_t frames = 0;  ///< of the program's functions that the calling thread is in
  friend bool operator==(const RankMemoryHash&, const RankMemoryHash&) = default;
};

/// What a stack of a hosted program should have: C programs put megabytes on it.  For
/// `SimulationOptions::stack_bytes`; only what is touched takes memory.
inline constexpr std::size_t hosted_stack_bytes = std::size_t{8} * 1024 * 1024;

/// A program that `orrery cc` made, in one copy a rank, each with its own globals, streams,
/// arguments, clock and handlers of exit.  Runs follow each other; `begin_run` puts everything
/// back to where it was when the program was loaded, its memory and its mappings gone.  What
/// the C library keeps for itself while it serves a rank (open streams, say) stays when the next
/// run begins: `resident_bytes` tells a searcher when to go on in a fresh process.
///
/// Belongs to the thread (and its forks) that made it.  Several images may exist, but only one
/// may be inside a run.  Usually used through `hosted_program`.
///
///     orrery::ProgramImage image("./app", 4, {orrery::front_end_beside("/usr/bin/orrery")});
///     image.begin_run(table, {"./app", "input.txt"});
///     image.run_rank(0);                                // on the rank's own stack
///     image.end_run();
class ProgramImage {
 public:
  /// Throws `UsageError`: no such program, not built for Orrery, too many ranks, ...
  ProgramImage(const std::filesystem::path& program, std::uint32_t ranks,
               const ProgramImageOptions& options);
  ~ProgramImage();
  ProgramImage(const ProgramImage&) = delete;
  ProgramImage& operator=(const ProgramImage&) = delete;

  [[nodiscard]] std::uint32_t rank_count() const;
  [[nodiscard]] const std::filesystem::path& path() const;
  /// Does it call functions of MPI?  Else it is a program of threads.
  [[nodiscard]] bool uses_mpi() const;
  /// Does it call functions of gcc's OpenMP?
  [[nodiscard]] bool uses_openmp() const;
  /// In hexadecimal; empty if it was linked without.
  [[nodiscard]] const std::string& build_id() const;

  /// From the next run on its ranks have no more than so many bytes together from malloc and mmap;
  /// 0: as many as there are.
  void set_memory_limit(std::uint64_t bytes);

  /// From the next run on each rank has a heap, and addresses for its mappings and its break, of
  /// its own: what it gets depends on its own calls alone, whoever else runs.
  void keep_ranks_apart(bool are_apart);
  /// What a rank that is kept apart has seen of others but messages, in words: files that they have
  /// made or changed.  Empty: nothing.
  [[nodiscard]] std::string unseen() const;
  /// This process has become an image of one in which a run goes on, and only this rank does here:
  /// what files hold that were written before is not in it, and `unseen` tells who uses it.
  void lose_file_contents(std::uint32_t rank);
  /// During a run of ranks that are kept apart.
  [[nodiscard]] RankMemoryRanges memory_of(std::uint32_t rank) const;
  /// All that belongs to other ranks alone, used or not, and their copies of the program: a process
  /// in which this rank goes on by itself can do without.  Stacks are not in it: the machine keeps
  /// what a task is about to do on the task's own stack.
  [[nodiscard]] std::vector<MemoryRange> memory_of_others(std::uint32_t rank) const;
  /// Of a rank that is within a call, or has not been in its own code since its last one.
  /// `frames_begin` is an address in the frame that the program has called; 0: frames are not
  /// looked at.  Left out: where the host and the libraries keep things for the rank (buffers of
  /// its streams, generators of random numbers, its open files), variables of libraries that all
  /// ranks have in common, and which addresses of such things the rank's memory holds.  Frames have
  /// bytes that nobody has written: what they hold is what earlier calls have left there.
  [[nodiscard]] RankMemoryHash hash_memory(std::uint32_t rank,
                                           std::uintptr_t frames_begin = 0) const;

  /// What the runs since `forget_inputs` have looked at, in this process or in others that were
  /// forked from it, as it is now.
  [[nodiscard]] ProgramInputs inputs(const InputPolicy& policy) const;
  void forget_inputs();
  /// From the next run on its ranks find these, and not what the system has.
  void use_inputs(ProgramInputs inputs);
  /// From the next run on this rank reads the standard input; or every one, or none: see
  /// `ProgramInputs`.  By itself it is the first.
  void give_standard_input(std::int32_t rank);
  /// From the next run on each thread has memory of its own, so that where a block lies depends on
  /// what its thread has allocated and freed, not on the order of threads; and a replay with the
  /// run's `inputs` has it at the same address.  For programs of one rank.
  void give_arenas();
  /// From the next run on the standard input is empty.
  void leave_standard_input();
  /// From the next run on what it writes is kept below this directory.  By itself, or
  /// with an empty name, a run leaves no file behind, and changes none.
  void keep_files(const std::string& directory);

  /// In the next run `reached` is called when a rank first enters that function of the program, or
  /// of a library of its project, before anything of it is done.  Its name is as in the source,
  /// with all namespaces and classes, without parameters: `server::Queue::start`.  Throws
  /// `UsageError` if there is none.
  void stop_at(const std::string& function, std::function<void()> reached);

  /// `arguments` begins with the program's name, as `argv` does; each rank gets a copy.  `runtime`
  /// must stay until `end_run`.
  /// `is_watched`: others may run within the calls of the runtime and print, or call libraries.
  /// Throws `UsageError` if its basic blocks are to be counted, and it was not built for that.
  void begin_run(const OrreryRuntime& runtime, const std::vector<std::string>& arguments,
                 bool is_watched = true, const ComputingTime& computing = {},
                 Preemption preemption = Preemption::sync);
  /// Calls the constructors and `main` of a rank, and ends it with `exit_process` of the table,
  /// which must not return: it leaves the stack, by a long jump or for good.
  [[noreturn]] void run_rank(std::uint32_t rank);
  void end_run();
  /// What the run has made of files so far.
  [[nodiscard]] std::vector<WrittenFile> written_files() const;

  /// Memory of this process now, for a comparison with what it was.
  [[nodiscard]] static std::uint64_t resident_bytes();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace orrery
