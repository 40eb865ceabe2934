#include "isolated_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/write_all.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "checkpointing.hpp"
#include "console.hpp"
#include "network_report.hpp"

namespace orrery::cli {
namespace {

// Room for the choices of a run; pages that are never touched cost nothing.
constexpr std::size_t recording_bytes = std::size_t{1} << 30U;

/// What survives the run's process.
struct SharedState {
  CrashReport crash;
  RunProgress progress;
};
constexpr std::size_t state_bytes = (sizeof(SharedState) + 4095) / 4096 * 4096;

/// Memory of both processes: the state, then the recording.
class SharedMemory {
 public:
  SharedMemory()
      : data_(mmap(nullptr, state_bytes + recording_bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) {
      throw UsageError(std::strerror(errno), "shared memory", "free some memory");
    }
    new (data_) SharedState;
  }
  ~SharedMemory() { munmap(data_, state_bytes + recording_bytes); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  [[nodiscard]] SharedState& state() const { return *static_cast<SharedState*>(data_); }
  [[nodiscard]] std::span<std::byte> recording() const {
    return {static_cast<std::byte*>(data_) + state_bytes, recording_bytes};
  }
  [[nodiscard]] MemoryRange range_of_recording() const {
    const auto begin = reinterpret_cast<std::uintptr_t>(recording().data());
    return {begin, begin + recording_bytes};
  }

 private:
  void* data_;
};

/// Knows what the tasks of the run are called, and watches nothing.
class TaskNames final : public Observer {
 public:
  void begin_run(const RunInfo& info) override { names_ = info.names; }
  [[nodiscard]] EventMask interest() const override { return EventMask::none(); }
  [[nodiscard]] std::string of(TaskId task) const { return names_->task(task); }

 private:
  const Names* names_ = nullptr;
};

// `kept`: a block of checkpoints, for the log, as it comes.
enum class FrameKind : std::uint32_t { output, record, records_end, kept, result, error };
struct FrameHeader {
  FrameKind kind;
  std::uint32_t stream;
  std::uint64_t name_bytes;
  std::uint64_t text_bytes;
};

// Not `_exit`: a program's rank may be running, and it ends only the rank.
[[noreturn]] void leave_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

void write_frame(int fd, FrameKind kind, std::string_view text, std::string_view name = {},
                 int stream = 0) {
  const FrameHeader header{kind, static_cast<std::uint32_t>(stream), name.size(), text.size()};
  std::string whole(reinterpret_cast<const char*>(&header), sizeof header);
  whole.append(name).append(text);
  if (!write_all(fd, whole)) leave_process(status_usage);  // the parent is gone
}

void write_block(int fd, FrameKind kind, const RecordedBlock& block) {
  const auto* const bytes = reinterpret_cast<const char*>(block.content.data());
  write_frame(fd, kind, {bytes, block.content.size()}, {}, static_cast<int>(block.kind));
}

RecordedBlock block_in(const FrameHeader& header, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {static_cast<BlockKind>(header.stream), {bytes.begin(), bytes.end()}};
}

std::string blind_spot_of(const Recorder& recorder, Checkpointing* checkpoints) {
  const std::string blind_spot = recorder.blind_spot();
  if (!blind_spot.empty() || checkpoints == nullptr) return blind_spot;
  return checkpoints->recorder().blind_spot();
}

Json counts_of(const Recorder& recorder) {
  Json counts;
  for (const auto& [name, count] : recorder.counts()) counts[std::string(name)] = count;
  return counts;
}

/// A frame for each block, then one that says that it was all, and what was counted.
void write_records(int fd, const IsolatedRun& request, Checkpointing* checkpoints) {
  const Recorder& recorder = *request.recorder;
  if (checkpoints != nullptr) checkpoints->recorder().conclude();
  for (const RecordedBlock& block : recorder.blocks()) write_block(fd, FrameKind::record, block);
  const Json counts = request.wants_statistics ? counts_of(recorder) : Json();
  write_frame(fd, FrameKind::records_end, blind_spot_of(recorder, checkpoints), counts.dump());
}

void take_record(const FrameHeader& header, std::string_view name, std::string_view text,
                 IsolatedResult& result) {
  if (header.kind == FrameKind::records_end) {
    result.has_records = true;
    result.blind_spot = text;
    if (const Json counts = Json::parse(name); !counts.is_null()) result.more["recording"] = counts;
    return;
  }
  result.records.push_back(block_in(header, text));
}

Json to_json(const Outcome& outcome) {
  std::vector<Finding> places;  // the shape in which a place goes
  if (outcome.spins_at) places.push_back({FindingKind::crash, {}, {*outcome.spins_at}});
  return {{"status", static_cast<unsigned>(outcome.status)},
          {"limit", static_cast<unsigned>(outcome.limit)},
          {"findings", orrery::json_text(outcome.findings)},
          {"spins_at", orrery::json_text(places)},
          {"steps", outcome.steps},
          {"questions", outcome.questions},
          {"preemptions", outcome.preemptions},
          {"messages", outcome.messages},
          {"faults_possible", outcome.faults.possible},
          {"faults_fired", outcome.faults.fired},
          {"end", outcome.end.picoseconds()}};
}

Outcome outcome_from(const Json& value) {
  Outcome outcome;
  outcome.status = static_cast<Outcome::Status>(value.at("status").get<unsigned>());
  outcome.limit = static_cast<Limit>(value.at("limit").get<unsigned>());
  outcome.findings = findings_from_json_text(value.at("findings").get<std::string>());
  for (const Finding& one : findings_from_json_text(value.at("spins_at").get<std::string>())) {
    outcome.spins_at = one.where.front();
  }
  outcome.steps = value.at("steps").get<std::uint64_t>();
  outcome.questions = value.at("questions").get<std::uint64_t>();
  outcome.preemptions = value.at("preemptions").get<std::uint64_t>();
  outcome.messages = value.at("messages").get<std::uint64_t>();
  value.at("faults_possible").get_to(outcome.faults.possible);
  value.at("faults_fired").get_to(outcome.faults.fired);
  outcome.end = VirtualTime::from_picoseconds(value.at("end").get<std::int64_t>());
  return outcome;
}

void describe(const IsolatedRun& request, const Simulation& simulation, IsolatedResult& result) {
  result.hosts = simulation.hosts_of_ranks();
  if (!request.wants_statistics) return;
  result.more["network"] = network_json(simulation.network_statistics());
  if (request.recorder != nullptr) {
    if (const Json counts = counts_of(*request.recorder); !counts.is_null()) {
      result.more["recording"] = counts;
    }
  }
  for (const CollectiveCounts::Entry& entry : simulation.collective_counts().entries()) {
    result.more["collectives"][entry.operation][entry.algorithm] = entry.count;
  }
}

/// The run itself, in this process, whose reporter may have armed its watchdog.
IsolatedResult do_run(const IsolatedRun& request, const SharedMemory& shared, TaskNames& names,
                      const Simulation::OutputSink& sink, Checkpointing* checkpoints,
                      CrashReporter* reporter = nullptr) {
  ScheduleRecorder recorder(shared.recording());
  std::vector<Observer*> observers{&names};
  if (request.recorder != nullptr) observers.push_back(&request.recorder->observer());
  if (checkpoints != nullptr) observers.push_back(&checkpoints->recorder());
  if (request.keeps_schedule) observers.push_back(&recorder);
  observers.insert(observers.end(), request.observers.begin(), request.observers.end());

  SimulationOptions machine = request.machine;
  machine.keeps_network_statistics |= request.wants_statistics;
  if (request.recorder != nullptr && request.recorder->firmware() != nullptr) {
    machine.network = with_firmware(machine.network, request.recorder->firmware());
  }
  Simulation simulation(machine);
  simulation.set_output_sink(sink);
  simulation.set_progress(&shared.state().progress);
  if (checkpoints != nullptr) checkpoints->watch(simulation);
  if (request.checkpointer != nullptr) simulation.set_checkpointer(request.checkpointer);
  simulation.start(request.program, request.chooser, observers);
  IsolatedResult result;
  if (request.drive && !request.drive(simulation, result.more) && !simulation.clock().ended()) {
    result.was_left = true;
    result.outcome.steps = simulation.clock().steps();
    result.outcome.end = simulation.clock().now();
    describe(request, simulation, result);
    return result;
  }
  result.outcome = simulation.finish();
  // What is done with it has limits of its own.
  if (reporter != nullptr) reporter->disarm_watchdog();
  result.schedule = recorder.schedule();
  simulation.set_output_sink(nullptr);
  describe(request, simulation, result);
  if (checkpoints != nullptr) checkpoints->describe(request.wants_statistics, result.more);
  if (request.conclude) request.conclude(simulation, result.schedule, result.outcome, result.more);
  return result;
}

/// The run's process: runs, and tells the parent through `fd`.
void do_run_for_parent(const IsolatedRun& request, const SharedMemory& shared, int fd) {
  std::optional<Checkpointing> checkpointing;
  if (request.checkpoints != nullptr) {
    checkpointing.emplace(
        *request.checkpoints, shared.range_of_recording(),
        [fd](const RecordedBlock& block) { write_block(fd, FrameKind::kept, block); });
  }
  Checkpointing* const checkpoints = checkpointing ? &*checkpointing : nullptr;
  CrashReporter reporter(shared.state().crash, MemoryReports::printed);
  if (checkpoints != nullptr) checkpoints->tell_deaths_by(reporter, shared.state().crash);
  if (request.findings || request.recorder != nullptr) {
    reporter.tell_findings([&] {
      if (request.recorder != nullptr) write_records(fd, request, checkpoints);
      return request.findings ? orrery::json_text(request.findings()) : std::string();
    });
  }
  if (!request.drive && request.machine.wall_limit != VirtualDuration::max()) {
    // The machine looks at the limit itself; this is for a task that never calls it.
    const auto quarter =
        VirtualDuration::from_picoseconds(request.machine.wall_limit.picoseconds() / 4);
    reporter.arm_watchdog(request.machine.wall_limit + quarter + std::chrono::seconds(1));
  }
  TaskNames names;
  const auto sink = [&](TaskId task, int stream, std::string_view text) {
    write_frame(fd, FrameKind::output, text, names.of(task), stream);
  };
  const IsolatedResult result = [&] {
    try {
      return do_run(request, shared, names, sink, checkpoints, &reporter);
    } catch (const UsageError&) {
      if (checkpoints != nullptr) checkpoints->discard_images();
      throw;
    }
  }();
  if (request.recorder != nullptr) write_records(fd, request, checkpoints);
  const Json told{{"left", result.was_left},
                  {"hosts", result.hosts},
                  {"more", result.more},
                  {"outcome", to_json(result.outcome)}};
  write_frame(fd, FrameKind::result, told.dump(-1, ' ', false, Json::error_handler_t::replace));
}

[[noreturn]] void child(const IsolatedRun& request, const SharedMemory& shared, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    do_run_for_parent(request, shared, fd);
  } catch (const UsageError& error) {
    const Json value = error_object(error);
    write_frame(fd, FrameKind::error, value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  leave_process(status_clean);
}

/// Reads exactly so many bytes; false at the end of what the child wrote.
bool read_all(int fd, void* data, std::size_t size) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = ::read(fd, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// Takes what the child tells until it ends.  True: it has told the result.
bool follow(int fd, const IsolatedRun& request, IsolatedResult& result) {
  bool has_result = false;
  FrameHeader header{};
  while (read_all(fd, &header, sizeof header)) {
    std::string name(header.name_bytes, '\0');
    std::string text(header.text_bytes, '\0');
    if (!read_all(fd, name.data(), name.size()) || !read_all(fd, text.data(), text.size())) break;
    if (header.kind == FrameKind::output) {
      result.outcome.output += text;
      if (request.on_output) request.on_output({name, static_cast<int>(header.stream), text});
      continue;
    }
    if (header.kind == FrameKind::record || header.kind == FrameKind::records_end) {
      take_record(header, name, text, result);
      continue;
    }
    if (header.kind == FrameKind::kept) {
      request.checkpoints->keep(block_in(header, text));
      continue;
    }
    const Json value = Json::parse(text);
    if (header.kind == FrameKind::error) {
      const Json& error = value.at("error");
      throw UsageError(error.at("what").get<std::string>(), error.at("where").get<std::string>(),
                       error.at("hint").get<std::string>());
    }
    std::string output = std::move(result.outcome.output);
    result.outcome = outcome_from(value.at("outcome"));
    result.outcome.output = std::move(output);
    result.was_left = value.at("left").get<bool>();
    result.hosts = value.at("hosts").get<std::vector<std::uint32_t>>();
    result.more = value.at("more");
    has_result = true;
  }
  return has_result;
}

/// Without a process of its own: whoever debugs wants to see the program in this one, and what
/// kills it is for the debugger to tell.
IsolatedResult run_here(const IsolatedRun& request, const SharedMemory& shared) {
  if (request.checkpoints != nullptr) {
    throw UsageError("a process that is debugged cannot be saved", "--checkpoint-every",
                     "record without the debugger");
  }
  TaskNames names;
  IsolatedResult result = do_run(
      request, shared, names,
      [&](TaskId task, int stream, std::string_view text) {
        if (request.on_output) request.on_output({names.of(task), stream, text});
      },
      nullptr);
  if (request.recorder == nullptr) return result;
  result.records = request.recorder->blocks();
  result.blind_spot = request.recorder->blind_spot();
  result.has_records = true;
  return result;
}

/// The child of one run; killed and waited for, however the parent's part ends.
class Child {
 public:
  Child(const IsolatedRun& request, const SharedMemory& shared) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw UsageError(std::strerror(errno), "pipe", "close some files");
    }
    std::fflush(nullptr);  // else the child writes the parent's buffers a second time
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      child(request, shared, ends[1]);
    }
    close(ends[1]);
    fd_ = ends[0];
    if (process_ < 0) {
      close(fd_);
      throw UsageError(std::strerror(errno), "fork", "end some processes");
    }
  }
  ~Child() {
    close(fd_);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  int fd_ = -1;
};

}  // namespace

IsolatedResult run_isolated(const IsolatedRun& request) {
  const SharedMemory shared;
  if (!request.is_preparation && is_held_by_debugger()) return run_here(request, shared);
  IsolatedResult result;
  Child process(request, shared);
  const bool has_result = follow(process.fd(), request, result);
  const int status = process.wait();
  result.schedule = ScheduleRecorder::read(shared.recording());
  if (has_result) return result;

  const SharedState& state = shared.state();
  result.has_died = true;
  std::string output = std::move(result.outcome.output);
  result.outcome = outcome_of_death(status, state.crash, state.progress.running);
  result.outcome.output = std::move(output);
  result.outcome.steps = state.progress.steps;
  result.outcome.end = state.progress.now;
  return result;
}

}  // namespace orrery::cli
