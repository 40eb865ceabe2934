// All that the library knows: of the job, and of each rank apart.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "calls/call_sites.hpp"
#include "calls/errors.hpp"
#include "calls/recent_calls.hpp"
#include "collectives/blackboard.hpp"
#include "collectives/collective_ledger.hpp"
#include "collectives/operation.hpp"
#include "communicators/communicator.hpp"
#include "communicators/contexts.hpp"
#include "communicators/group.hpp"
#include "communicators/info.hpp"
#include "files/file.hpp"
#include "handles/fortran_handles.hpp"
#include "handles/handle_pool.hpp"
#include "handles/symbol_copies.hpp"
#include "messages/generalized_requests.hpp"
#include "messages/helpers.hpp"
#include "messages/matched_message.hpp"
#include "messages/request_pool.hpp"
#include "messages/send_buffering.hpp"
#include "messages/sent_messages.hpp"
#include "one_sided/window.hpp"
#include "owned_memory.hpp"
#include "scratch.hpp"
#include "thread_use.hpp"
#include "types/datatypes.hpp"

namespace orrery::mpi {

enum class Phase : std::uint8_t { before_init, running, finalized };

/// Memory of MPI_Alloc_mem.
struct Allocation {
  void* memory = nullptr;
  std::uintptr_t pc = 0;             ///< of the call
  std::unique_ptr<std::byte[]> own;  ///< where programs have no memory of their own
};

/// What one rank's program can reach.
struct RankState {
  CallSites sites;                 ///< of the calls under way
  std::vector<InsideCall> inside;  ///< where more than one thread may call MPI
  bool checks_use = true;          ///< or only what is to be seen in a call's arguments
  bool tells_loans = false;        ///< somebody watches what the program does with its memory
  Phase phase = Phase::before_init;
  std::uintptr_t initialised_at = 0;
  int thread_level = MPI_THREAD_SINGLE;
  OrreryThread main_thread = 0;  ///< that has initialised MPI
  std::int32_t rank = 0;
  Communicator world;
  Communicator self;
  HandlePool<Communicator, HandleKind::communicator, 8> communicators{sites};
  HandlePool<Group, HandleKind::group, 16> groups{sites};
  Group empty_group;  ///< MPI_GROUP_EMPTY
  HandlePool<Info, HandleKind::info, 16> infos{sites};
  Info environment;  ///< MPI_INFO_ENV
  Keyvals keyvals;
  ErrorCodes error_codes;
  GeneralizedRequests generalized;
  std::vector<Allocation> allocations;
  std::map<const Datatype*, std::string> type_names;  ///< that programs gave; looked up only
  PredefinedAttributes predefined_attributes;
  std::map<Builtin, AttributeList> type_attributes;  ///< of predefined types
  HandlePool<Datatype, HandleKind::datatype> types{sites};
  HandlePool<Operation, HandleKind::operation> operations{sites};
  RequestPool requests{sites};
  HandlePool<MatchedMessage, HandleKind::message> messages{sites};
  HandlePool<File, HandleKind::file> files{sites};
  File no_file;  ///< MPI_FILE_NULL: files that are opened get its error handler (section 13.7)
  HandlePool<Window, HandleKind::window, 8> windows{sites};
  HandlePool<ErrorHandler, HandleKind::error_handler, 8> error_handlers{sites};
  OwnedMemory owned;  ///< buffers of operations under way
  Helpers helpers;
  RecentCalls recent_calls;
  FortranHandles fortran_handles;
  std::vector<Datatype*> parameterized_types;  ///< of MPI_Type_create_f90_..., never freed
  std::uint32_t orphan_count = 0;
  const char* host_name = "";  ///< of the simulated host, static for the run
  ScratchPool scratch;
  void* attached_buffer = nullptr;
  int attached_size_bytes = 0;
  std::size_t buffer_bytes_used = 0;  ///< by messages that nobody has received yet
  std::uint32_t buffer_messages = 0;  ///< how many these are
  OrreryRequest buffer_gone = 0;      ///< an event, while MPI_Buffer_detach waits for that
  std::int64_t last_wtime = -1;       ///< what MPI_Wtime gave last ...
  std::int64_t first_wtime = -1;      ///< ... and first, of the calls ...
  std::uint32_t wtime_repeats = 0;    ///< ... that came one after another with nothing in between
  std::vector<const void*> operation_stacks;  ///< on which functions of MPI_Op_create run
  char message[1024] = "";                    ///< of the finding being made
};

/// One run of a job.  Made when a runtime is attached, gone when it is detached: nothing of a run
/// is left to the next one.
class Job {
 public:
  explicit Job(const OrreryRuntime& table) : table_(table) {}
  [[nodiscard]] const OrreryRuntime& table() const { return table_; }
  /// The state of the rank that calls, or null outside a simulated process.
  RankState* current_rank();
  /// The state of any rank; null if it has made no calls.
  [[nodiscard]] RankState* find_rank(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    return index < ranks_.size() ? ranks_[index].get() : nullptr;
  }
  /// The state of a rank of the job that has made calls.
  [[nodiscard]] RankState& rank_state(std::int32_t rank) {
    return *ranks_[static_cast<std::size_t>(rank)];
  }
  Memberships& memberships() { return memberships_; }
  Contexts& contexts() { return contexts_; }
  Blackboard& blackboard() { return blackboard_; }
  Graphs& graphs() { return graphs_; }
  CollectiveLedger& ledger() { return ledger_; }
  SentMessages& sent() { return sent_; }
  SendBuffering& send_buffering() { return send_buffering_; }
  SharedFiles& files() { return files_; }
  SharedWindows& windows() { return windows_; }
  RemoteOperations& remote_operations() { return remote_operations_; }
  SymbolCopies& symbol_copies() { return symbol_copies_; }
  /// Memory for windows, all zero, where programs have none of their own.
  std::byte* window_memory(std::size_t size_bytes) {
    return window_memory_.emplace_back(std::make_unique<std::byte[]>(size_bytes)).get();
  }
  /// For what happens between the steps of ranks.
  ScratchPool& scratch() { return scratch_; }
  /// A message has been received, or will never be: its room in the sender's buffer is free again.
  void free_buffer(const SentMessage& message);

 private:
  void set_up(RankState& state, std::int32_t rank);

  const OrreryRuntime& table_;
  Memberships memberships_;
  SharedMembership world_;
  Contexts contexts_;
  Blackboard blackboard_;
  Graphs graphs_;
  std::vector<std::unique_ptr<RankState>> ranks_;
  CollectiveLedger ledger_;
  SentMessages sent_;
  SendBuffering send_buffering_;
  SharedFiles files_;
  SharedWindows windows_;
  RemoteOperations remote_operations_;
  SymbolCopies symbol_copies_;
  ScratchPool scratch_;
  std::vector<std::unique_ptr<std::byte[]>> window_memory_;
};

/// The attached job, or null.  The C interface of MPI has no argument that could carry it.
Job* current_job();

}  // namespace orrery::mpi
