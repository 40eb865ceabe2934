// A graph as an archive in Open Trace Format 2, written by its own library where that is here.
#include <orrery/network_model/usage_error.hpp>

#include "exports.hpp"

#ifndef ORRERY_HAS_OTF2

namespace orrery::detail {

void check_can_write_otf2() {
  throw UsageError("this orrery was built without the OTF2 library", "--export",
                   "install libotf2-trace-dev and build again, or choose another format");
}

void write_otf2(const EventGraph&, const std::string&) {
  check_can_write_otf2();
}

}  // namespace orrery::detail

#else

#include <algorithm>
#include <cstdarg>
#include <map>

#include <dlfcn.h>
#include <otf2/otf2.h>

#include "graph_walk.hpp"

namespace orrery::detail {
namespace {

/// Loaded when it is wanted: programs that run have this code with them, and need no such library.
void* library() {
  static void* const handle = dlopen("libopen-trace-format2.so.10", RTLD_NOW | RTLD_LOCAL);
  return handle;
}

/// One of its functions: `otf2<&OTF2_Archive_Open>("OTF2_Archive_Open")`.
template <auto Function>
decltype(Function) otf2(const char* name) {
  static const auto found = reinterpret_cast<decltype(Function)>(dlsym(library(), name));
  if (found == nullptr) {
    throw UsageError(std::string("the OTF2 library has no ") + name, "--export",
                     "install libopen-trace-format2-10 of OTF2 3");
  }
  return found;
}

// The library would print what it cannot do; all that matters comes back as a code.
OTF2_ErrorCode keep_silent(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                           const char*, va_list) {
  return code;
}

void check(OTF2_ErrorCode code) {
  if (code == OTF2_SUCCESS) return;
  throw UsageError(std::string("cannot be written: ") +
                       otf2<&OTF2_Error_GetDescription>("OTF2_Error_GetDescription")(code),
                   "--export", "make room on the disk, or write somewhere else");
}

template <typename Handle>
Handle* checked(Handle* handle) {
  if (handle == nullptr) check(OTF2_ERROR_FILE_INTERACTION);
  return handle;
}

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

/// Closed in any case; a writer that has gone on to the end closes it itself and looks at the code.
class Archive {
 public:
  explicit Archive(const std::string& directory)
      : handle_(otf2<&OTF2_Archive_Open>("OTF2_Archive_Open")(
            directory.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
            OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {}
  ~Archive() {
    if (handle_ != nullptr) otf2<&OTF2_Archive_Close>("OTF2_Archive_Close")(handle_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] OTF2_Archive* get() const { return handle_; }
  void close() {
    check(otf2<&OTF2_Archive_Close>("OTF2_Archive_Close")(std::exchange(handle_, nullptr)));
  }

 private:
  OTF2_Archive* handle_;
};

class Otf2Writer {
 public:
  Otf2Writer(const EventGraph& graph, const std::string& directory)
      : graph_(graph),
        archive_(directory),
        unfinished_(unfinished_states(graph)),
        sent_(graph, &GraphMessage::send),
        received_(graph, &GraphMessage::receive) {
    checked(archive_.get());
    number_operations();
  }
  void write();

 private:
  void number_operations();
  void write_events();
  void write_task(std::uint32_t task);
  void write_messages(OTF2_EvtWriter* writer, std::uint32_t operation);
  void write_definitions();
  void write_processes(OTF2_GlobalDefWriter* writer);
  void write_communicators(OTF2_GlobalDefWriter* writer);
  OTF2_StringRef text(OTF2_GlobalDefWriter* writer, std::string_view text);
  [[nodiscard]] std::uint32_t region_of(std::string_view label);

  const EventGraph& graph_;
  Archive archive_;
  std::vector<UnfinishedState> unfinished_;
  MessageIndex sent_;
  MessageIndex received_;
  std::vector<std::vector<std::uint32_t>> operations_;  ///< of each task
  std::vector<std::uint64_t> event_counts_;
  std::vector<std::string> regions_;
  std::map<std::uint32_t, std::uint32_t> communicators_;  ///< by context
  std::map<std::string, OTF2_StringRef, std::less<>> texts_;
};

void Otf2Writer::number_operations() {
  operations_.resize(graph_.tasks.size());
  event_counts_.resize(graph_.tasks.size());
  for (std::uint32_t i = 0; i < graph_.operations.size(); ++i) {
    operations_[graph_.operations[i].id.task.value].push_back(i);
  }
  for (const GraphMessage& message : graph_.messages) communicators_[message.context] = 0;
  std::uint32_t next = 0;
  for (auto& [context, number] : communicators_) number = next++;
}

// There are few: kinds of operations and functions of MPI.
std::uint32_t Otf2Writer::region_of(std::string_view label) {
  const auto found = std::ranges::find(regions_, label);
  const auto number = static_cast<std::uint32_t>(found - regions_.begin());
  if (found == regions_.end()) regions_.emplace_back(label);
  return number;
}

void Otf2Writer::write_messages(OTF2_EvtWriter* writer, std::uint32_t operation) {
  const auto date = static_cast<OTF2_TimeStamp>(graph_.operations[operation].end.picoseconds());
  for (const std::uint32_t number : received_.of(operation)) {
    const GraphMessage& message = graph_.messages[number];
    if (!is_complete(message)) continue;
    check(otf2<&OTF2_EvtWriter_MpiRecv>("OTF2_EvtWriter_MpiRecv")(
        writer, nullptr, date, static_cast<std::uint32_t>(message.source),
        communicators_.at(message.context), static_cast<std::uint32_t>(message.tag),
        message.size_bytes));
  }
  for (const std::uint32_t number : sent_.of(operation)) {
    const GraphMessage& message = graph_.messages[number];
    if (!is_complete(message)) continue;
    check(otf2<&OTF2_EvtWriter_MpiSend>("OTF2_EvtWriter_MpiSend")(
        writer, nullptr, date, static_cast<std::uint32_t>(message.destination),
        communicators_.at(message.context), static_cast<std::uint32_t>(message.tag),
        message.size_bytes));
  }
}

void Otf2Writer::write_task(std::uint32_t task) {
  OTF2_EvtWriter* const writer =
      checked(otf2<&OTF2_Archive_GetEvtWriter>("OTF2_Archive_GetEvtWriter")(archive_.get(), task));
  const auto state = [&](VirtualTime begin, VirtualTime end, std::string_view label,
                         const std::uint32_t* operation) {
    const std::uint32_t region = region_of(label);
    check(otf2<&OTF2_EvtWriter_Enter>("OTF2_EvtWriter_Enter")(
        writer, nullptr, static_cast<OTF2_TimeStamp>(begin.picoseconds()), region));
    if (operation != nullptr) write_messages(writer, *operation);
    check(otf2<&OTF2_EvtWriter_Leave>("OTF2_EvtWriter_Leave")(
        writer, nullptr, static_cast<OTF2_TimeStamp>(end.picoseconds()), region));
  };
  for (const std::uint32_t number : operations_[task]) {
    const GraphOperation& one = graph_.operations[number];
    state(one.begin, one.end, graph_.label(one), &number);
  }
  for (const UnfinishedState& rest : unfinished_) {
    if (rest.task == task) state(rest.begin, rest.end, rest.label, nullptr);
  }
  check(otf2<&OTF2_EvtWriter_GetNumberOfEvents>("OTF2_EvtWriter_GetNumberOfEvents")(
      writer, &event_counts_[task]));
  check(otf2<&OTF2_Archive_CloseEvtWriter>("OTF2_Archive_CloseEvtWriter")(archive_.get(), writer));
}

void Otf2Writer::write_events() {
  check(otf2<&OTF2_Archive_OpenEvtFiles>("OTF2_Archive_OpenEvtFiles")(archive_.get()));
  for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) write_task(i);
  check(otf2<&OTF2_Archive_CloseEvtFiles>("OTF2_Archive_CloseEvtFiles")(archive_.get()));
  check(otf2<&OTF2_Archive_OpenDefFiles>("OTF2_Archive_OpenDefFiles")(archive_.get()));
  for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) {
    OTF2_DefWriter* const writer =
        checked(otf2<&OTF2_Archive_GetDefWriter>("OTF2_Archive_GetDefWriter")(archive_.get(), i));
    check(
        otf2<&OTF2_Archive_CloseDefWriter>("OTF2_Archive_CloseDefWriter")(archive_.get(), writer));
  }
  check(otf2<&OTF2_Archive_CloseDefFiles>("OTF2_Archive_CloseDefFiles")(archive_.get()));
}

OTF2_StringRef Otf2Writer::text(OTF2_GlobalDefWriter* writer, std::string_view text) {
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  const auto next = static_cast<OTF2_StringRef>(texts_.size());
  const std::string& kept = texts_.emplace(text, next).first->first;
  check(otf2<&OTF2_GlobalDefWriter_WriteString>("OTF2_GlobalDefWriter_WriteString")(writer, next,
                                                                                    kept.c_str()));
  return next;
}

void Otf2Writer::write_processes(OTF2_GlobalDefWriter* writer) {
  check(otf2<&OTF2_GlobalDefWriter_WriteSystemTreeNode>("OTF2_GlobalDefWriter_WriteSystemTreeNode")(
      writer, 0, text(writer, "run"), text(writer, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (const GraphProcess& process : processes_of(graph_)) {
    check(otf2<&OTF2_GlobalDefWriter_WriteLocationGroup>("OTF2_GlobalDefWriter_WriteLocationGroup")(
        writer, process.number, text(writer, process.name), OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
        OTF2_UNDEFINED_LOCATION_GROUP));
  }
  for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) {
    check(otf2<&OTF2_GlobalDefWriter_WriteLocation>("OTF2_GlobalDefWriter_WriteLocation")(
        writer, i, text(writer, graph_.tasks[i].name), OTF2_LOCATION_TYPE_CPU_THREAD,
        event_counts_[i], graph_.tasks[i].process.value));
  }
}

// The ranks of the job are its processes from 1 on, each by its first task.
void Otf2Writer::write_communicators(OTF2_GlobalDefWriter* writer) {
  std::vector<std::uint64_t> locations;
  std::vector<std::uint64_t> ranks;
  for (const GraphProcess& process : processes_of(graph_)) {
    if (process.number == 0) continue;
    const auto first = std::ranges::find_if(
        graph_.tasks, [&](const GraphTask& task) { return task.process.value == process.number; });
    ranks.push_back(locations.size());
    locations.push_back(static_cast<std::uint64_t>(first - graph_.tasks.begin()));
  }
  const auto count = static_cast<std::uint32_t>(ranks.size());
  check(otf2<&OTF2_GlobalDefWriter_WriteGroup>("OTF2_GlobalDefWriter_WriteGroup")(
      writer, 0, text(writer, "ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
      OTF2_GROUP_FLAG_NONE, count, locations.data()));
  check(otf2<&OTF2_GlobalDefWriter_WriteGroup>("OTF2_GlobalDefWriter_WriteGroup")(
      writer, 1, text(writer, "all ranks"), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
      OTF2_GROUP_FLAG_NONE, count, ranks.data()));
  for (const auto& [context, number] : communicators_) {
    check(otf2<&OTF2_GlobalDefWriter_WriteComm>("OTF2_GlobalDefWriter_WriteComm")(
        writer, number, text(writer, fmt::format("communicator {}", context)), 1,
        OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  }
}

void Otf2Writer::write_definitions() {
  constexpr std::uint64_t ticks_per_second = 1'000'000'000'000;
  OTF2_GlobalDefWriter* const writer = checked(
      otf2<&OTF2_Archive_GetGlobalDefWriter>("OTF2_Archive_GetGlobalDefWriter")(archive_.get()));
  check(
      otf2<&OTF2_GlobalDefWriter_WriteClockProperties>("OTF2_GlobalDefWriter_WriteClockProperties")(
          writer, ticks_per_second, 0, static_cast<std::uint64_t>(graph_.end.picoseconds()) + 1,
          OTF2_UNDEFINED_TIMESTAMP));
  const OTF2_StringRef nothing = text(writer, "");
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    const std::string& label = regions_[i];
    const OTF2_StringRef name = text(writer, label);
    const bool is_mpi = label.starts_with("MPI_");
    check(otf2<&OTF2_GlobalDefWriter_WriteRegion>("OTF2_GlobalDefWriter_WriteRegion")(
        writer, i, name, name, nothing, OTF2_REGION_ROLE_FUNCTION,
        is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE, nothing, 0, 0));
  }
  write_processes(writer);
  write_communicators(writer);
  check(otf2<&OTF2_Archive_CloseGlobalDefWriter>("OTF2_Archive_CloseGlobalDefWriter")(
      archive_.get(), writer));
}

void Otf2Writer::write() {
  OTF2_FlushCallbacks callbacks{};
  callbacks.otf2_pre_flush = flush_always;
  check(otf2<&OTF2_Archive_SetFlushCallbacks>("OTF2_Archive_SetFlushCallbacks")(
      archive_.get(), &callbacks, nullptr));
  check(otf2<&OTF2_Archive_SetSerialCollectiveCallbacks>(
      "OTF2_Archive_SetSerialCollectiveCallbacks")(archive_.get()));
  write_events();
  write_definitions();
  archive_.close();
}

}  // namespace

void check_can_write_otf2() {
  if (library() != nullptr) return;
  throw UsageError("the OTF2 library is not here", "--export",
                   "install libopen-trace-format2-10, or choose another format");
}

void write_otf2(const EventGraph& graph, const std::string& directory) {
  otf2<&OTF2_Error_RegisterCallback>("OTF2_Error_RegisterCallback")(keep_silent, nullptr);
  Otf2Writer(graph, directory).write();
}

}  // namespace orrery::detail

#endif
