#include <algorithm>
#include <deque>
#include <fstream>
#include <iostream>
#include <optional>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/program_image.hpp>
#include <orrery/program_host/sanitizer_runtime.hpp>
#include <orrery/program_host/taken_process.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>

#include "files/standard_streams.hpp"
#include "files/user_files.hpp"
#include "interposed/breakpoint.hpp"
#include "machine.hpp"
#include "memory/cxx_library.hpp"
#include "memory/memory_hash.hpp"
#include "memory/pages.hpp"
#include "memory/program_memory.hpp"
#include "program_copy.hpp"
#include "program_hooks.hpp"
#include "program_libraries.hpp"
#include "ranks/program_signals.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"
#include "ranks/uncaught.hpp"
#include "static_thread_locals.hpp"

namespace orrery {
namespace host {

/// What the host calls in a front end.
struct FrontEnd {
  OrreryAttach attach = nullptr;
  OrreryExit exit = nullptr;
  const OrreryNoteCarrier* note_carrier = nullptr;
};

}  // namespace host

namespace {

using host::FrontEnd;

constexpr std::uint32_t ranks_max = 65'536;

/// What `orrery_checkpoint` of the front end does.
void ask_for_checkpoint() {
  if (auto* const machine = detail::Machine::current()) machine->checkpoints().is_asked_for();
}

FrontEnd load_front_end(const std::filesystem::path& front_end) {
  if (taken_process() != nullptr) return {};  // a program of another MPI's cannot be run
  void* const library = dlopen(front_end.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    throw UsageError(fmt::format("the MPI front end cannot be loaded: {}", dlerror()),
                     front_end.string(), "build or install Orrery again");
  }
  void* const attach = dlsym(library, "orrery_front_end_attach");
  void* const exit = dlsym(library, "orrery_front_end_exit");
  void* const asker = dlsym(library, "orrery_front_end_ask_for_checkpoint");
  if (asker != nullptr) *static_cast<void (**)()>(asker) = ask_for_checkpoint;
  if (attach == nullptr || exit == nullptr) {
    throw UsageError("this is not a front end of Orrery's", front_end.string(),
                     "the libmpi.so.40 of lib/orrery is meant, not that of another MPI");
  }
  return {reinterpret_cast<OrreryAttach>(attach), reinterpret_cast<OrreryExit>(exit),
          static_cast<const OrreryNoteCarrier*>(dlsym(library, "orrery_front_end_note_carrier"))};
}

void check_rank_count(std::uint32_t ranks) {
  if (ranks > 0 && ranks <= ranks_max) return;
  throw UsageError(fmt::format("{} ranks cannot be run", ranks), "-n",
                   fmt::format("use 1 to {}", ranks_max));
}

}  // namespace

/// The copies and what each rank has of the libraries.
class ProgramImage::Implementation {
 public:
  Implementation(const std::filesystem::path& program, std::uint32_t ranks,
                 const ProgramImageOptions& options)
      : files((check_rank_count(ranks), program), options.kind),
        front_end(load_front_end(options.front_end)) {
    host::prepare_program_memory();
    static_cast<void>(host::user_files());  // what it shares with processes to be forked
    host::remember_common_modules();
    if (taken_process() != nullptr) host::library_keys.take();
    const bool are_whole = options.is_debugged || has_sanitizer_runtime();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      // Of all copies `Symbolizer` reads the one that was loaded first.
      const bool is_whole = are_whole || rank == 0;
      copies.emplace_back(
          files, ranks,
          is_whole ? host::ProgramFile::Extent::whole : host::ProgramFile::Extent::loaded);
    }
    libraries.emplace(copies);
    for (auto& copy : copies) {
      contexts.emplace_back(static_cast<std::int32_t>(contexts.size()), copy, *libraries);
    }
    host::static_thread_locals().find();
    hooks.emplace(copies);
    stays_loaded = options.stays_loaded;
  }
  ~Implementation() {
    if (!stays_loaded) return;
    for (auto& copy : copies) copy.leave_loaded();
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  bool stays_loaded = false;
  host::ProgramFiles files;
  FrontEnd front_end;
  std::deque<host::ProgramCopy> copies;
  std::optional<host::ProgramLibraries> libraries;
  std::optional<host::ProgramHooks> hooks;
  std::deque<host::RankContext> contexts;
  host::StandardStreams streams;
  ProgramInputs inputs;
  std::optional<host::UncaughtExceptions> uncaught;  ///< during a run
  std::string stop_function;                         ///< where the next run stops; empty: nowhere
  std::function<void()> reached;
  std::optional<host::Breakpoint> breakpoint;  ///< during a run
  std::size_t memory_limit_bytes = host::UserHeap::no_limit;
  bool are_ranks_apart = false;
};

ProgramImage::ProgramImage(const std::filesystem::path& program, std::uint32_t ranks,
                           const ProgramImageOptions& options)
    : implementation_(std::make_unique<Implementation>(program, ranks, options)) {}

ProgramImage::~ProgramImage() = default;

std::uint32_t ProgramImage::rank_count() const {
  return static_cast<std::uint32_t>(implementation_->copies.size());
}

const std::filesystem::path& ProgramImage::path() const {
  return implementation_->files.program().path();
}

bool ProgramImage::uses_mpi() const {
  return implementation_->files.program().uses_mpi;
}

bool ProgramImage::uses_openmp() const {
  return implementation_->files.program().uses_openmp;
}

const std::string& ProgramImage::build_id() const {
  return implementation_->files.program().build_id();
}

ProgramInputs ProgramImage::inputs(const InputPolicy& policy) const {
  return host::user_files().inputs(policy);
}

void ProgramImage::forget_inputs() {
  host::user_files().outside().notes().clear();
}

void ProgramImage::use_inputs(ProgramInputs inputs) {
  implementation_->inputs = std::move(inputs);
  host::user_files().use_record(&implementation_->inputs);
}

void ProgramImage::give_arenas() {
  host::user_files().outside().give_arenas();
}

void ProgramImage::leave_standard_input() {
  host::user_files().outside().tape().set({});
}

void ProgramImage::give_standard_input(std::int32_t rank) {
  host::user_files().give_standard_input(rank);
}

void ProgramImage::keep_files(const std::string& directory) {
  host::user_files().keep_in(directory);
}

void ProgramImage::set_memory_limit(std::uint64_t bytes) {
  implementation_->memory_limit_bytes = bytes == 0 ? host::UserHeap::no_limit : bytes;
}

void ProgramImage::keep_ranks_apart(bool are_apart) {
  implementation_->are_ranks_apart = are_apart;
}

std::string ProgramImage::unseen() const {
  return host::user_files().unseen();
}

void ProgramImage::lose_file_contents(std::uint32_t rank) {
  host::user_files().lose_contents(static_cast<std::int32_t>(rank));
}

RankMemoryRanges ProgramImage::memory_of(std::uint32_t rank) const {
  RankMemoryRanges result;
  result.variables = implementation_->copies[rank].variable_ranges();
  const auto number = static_cast<std::int32_t>(rank);
  detail::ensure(host::rank_memory.are_apart(), "memory is told of ranks that are kept apart",
                 rank);
  result.heap = host::rank_memory.heap_ranges(number);
  for (const auto& range : host::rank_memory.mappings_of(number).ranges()) {
    result.mappings.push_back({range.begin, range.end});
  }
  return result;
}

std::vector<MemoryRange> ProgramImage::memory_of_others(std::uint32_t rank) const {
  std::vector<MemoryRange> all;
  for (std::uint32_t other = 0; other < rank_count(); ++other) {
    if (other == rank) continue;
    const auto windows = host::rank_memory.windows_of(other);
    all.insert(all.end(), windows.begin(), windows.end());
    for (MemoryRange loaded : implementation_->copies[other].ranges()) {
      // Whoever looks for an address's object reads the headers of all that are loaded.
      loaded.begin = std::min(loaded.begin + host::page_bytes, loaded.end);
      all.push_back(loaded);
    }
  }
  return all;
}

RankMemoryHash ProgramImage::hash_memory(std::uint32_t rank, std::uintptr_t frames_begin) const {
  return host::hash_rank(implementation_->contexts[rank], frames_begin);
}

void ProgramImage::stop_at(const std::string& function, std::function<void()> reached) {
  if (implementation_->copies.front().functions(function).empty()) {
    throw UsageError(fmt::format("the program has no function '{}'", function), path().string(),
                     "write its name as in the source, with namespaces and classes and without "
                     "parameters; one that was inlined everywhere is gone, and a program that was "
                     "stripped has no names");
  }
  implementation_->stop_function = function;
  implementation_->reached = std::move(reached);
}

void ProgramImage::begin_run(const OrreryRuntime& runtime,
                             const std::vector<std::string>& arguments, bool is_watched,
                             const ComputingTime& computing, Preemption preemption) {
  if (computing.method == ComputingTime::Method::cost &&
      !implementation_->files.program().counts_blocks) {
    throw UsageError("the program does not count what it executes, as --compute cost needs it to",
                     path().string(),
                     "build it again with -fsanitize-coverage=trace-pc (gcc and clang), or use "
                     "--compute measured");
  }
  auto& running = host::running();
  running.user = nullptr;
  running.thread = nullptr;
  running.thread_in_place = nullptr;
  running.has_signals = false;
  running.exchanges = is_watched;
  running.runtime = &runtime;
  running.front_end_exit = implementation_->front_end.exit;
  running.computing = computing;
  implementation_->uncaught.emplace();
  CrashReporter::set_fault_filter(host::filter_fault);
  CrashReporter::set_settle(host::settle_accesses);
  host::rank_memory.begin_run(rank_count(), implementation_->are_ranks_apart,
                              implementation_->memory_limit_bytes);
  for (auto& copy : implementation_->copies) copy.restore();
  implementation_->libraries->restore();
  host::user_files().set_program(path().string());
  host::user_files().begin_run(rank_count(), implementation_->are_ranks_apart);
  for (auto& context : implementation_->contexts) context.restart(arguments);
  host::ProgramHooks::Watching watching;
  watching.are_observed = runtime.wants_accesses != nullptr && runtime.wants_accesses() != 0;
  auto* const machine = detail::Machine::current();
  if (machine != nullptr)
    machine->messages().set_note_carrier(implementation_->front_end.note_carrier);
  watching.are_told_at_once = machine != nullptr && machine->wants_accesses_at_once();
  watching.are_blocks_told = machine != nullptr && machine->wants_any(EventMask::allocations());
  watching.are_lone_wanted = machine == nullptr || machine->wants_any(EventMask::lone_accesses());
  implementation_->hooks->begin_run(implementation_->copies, preemption, watching);
  running.hooks = &*implementation_->hooks;
  if (implementation_->reached) {
    std::vector<std::byte*> places;
    for (const auto& copy : implementation_->copies) {
      const auto more = copy.functions(implementation_->stop_function);
      places.insert(places.end(), more.begin(), more.end());
    }
    implementation_->breakpoint.emplace(std::move(places), std::move(implementation_->reached));
    implementation_->reached = nullptr;
  }
  std::cout.clear();
  std::cerr.clear();
  std::cin.clear();
  host::fill_caches_of_cxx_library();
  const OrreryAttach attach = implementation_->front_end.attach;
  if (attach == nullptr) return;
  detail::ensure(attach(&host::guarded_runtime()) == 0, "our own front end knows our own table");
}

void ProgramImage::run_rank(std::uint32_t rank) {
  // Here the rank's stack begins, for whoever walks it: debuggers, sanitizers, crash reports.
  asm volatile(".cfi_undefined rip");
  host::run_main(implementation_->contexts[rank]);
}

void ProgramImage::end_run() {
  // A rank may have been left by an exception of the caller's making.
  host::running().user = nullptr;
  implementation_->breakpoint.reset();
  if (implementation_->front_end.attach != nullptr) implementation_->front_end.attach(nullptr);
  implementation_->uncaught.reset();
  host::rank_memory.end_run();
  host::user_files().end_run();
  auto& running = host::running();
  if (running.in_place != nullptr) running.in_place->suspend();
  running = {};
}

std::vector<WrittenFile> ProgramImage::written_files() const {
  return host::user_files().written();
}

std::uint64_t ProgramImage::resident_bytes() {
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::filesystem::path front_end_beside(const std::filesystem::path& command) {
  return command.parent_path().parent_path() / "lib" / "orrery" / "libmpi.so.40";
}

}  // namespace orrery
