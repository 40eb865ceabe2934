// All that the library knows: of the job, and of each rank apart.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/runtime_table.h>

#include "collective_ledger.hpp"
#include "datatypes.hpp"
#include "handle_pool.hpp"
#include "handles.hpp"
#include "scratch.hpp"
#include "sent_messages.hpp"

struct ompi_communicator_t {
  orrery::mpi::HandleHeader header;
  std::uint32_t context = 0;  ///< of its messages; collectives use the next one
  std::int32_t rank = 0;      ///< of this process in it
  std::int32_t size = 0;
  std::vector<std::int32_t> members;                            ///< ranks of the job; empty: all
  std::vector<std::pair<std::int32_t, std::int32_t>> by_world;  ///< (rank of the job, rank), sorted
  bool errors_return = false;
  bool freed = false;  ///< by the program; requests may still use it
  std::uint32_t references = 0;
  std::uint64_t collectives = 0;  ///< begun so far
  char name[MPI_MAX_OBJECT_NAME] = "a communicator";

  /// The rank in the job of a rank of this communicator, and back (-1: not a member).
  [[nodiscard]] std::int32_t world_rank(std::int32_t local) const;
  [[nodiscard]] std::int32_t local_rank(std::int32_t world) const;
};

struct ompi_op_t {
  orrery::mpi::HandleHeader header;
  orrery::mpi::BuiltinOperation builtin = orrery::mpi::BuiltinOperation::none;
  MPI_User_function* function = nullptr;
  bool commutative = true;
};

struct ompi_request_t {
  orrery::mpi::HandleHeader header;
  OrreryRequest id = 0;  ///< of the machine; 0: complete from the start (MPI_PROC_NULL)
  bool receive = false;
  bool orphan = false;  ///< freed by the program before it was complete
  void* buffer = nullptr;
  std::size_t count = 0;
  const ompi_datatype_t* type = nullptr;
  ompi_communicator_t* communicator = nullptr;
  const char* call = "";  ///< that started it
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uintptr_t pc = 0;
  std::uint64_t note = 0;  ///< of the message, for a send
};

namespace orrery::mpi {

using Communicator = ompi_communicator_t;
using Operation = ompi_op_t;
using Request = ompi_request_t;

enum class Phase : std::uint8_t { before_init, running, finalized };

/// What one rank's program can reach.
struct RankState {
  Phase phase = Phase::before_init;
  std::uintptr_t initialised_at = 0;
  int thread_level = MPI_THREAD_SINGLE;
  std::int32_t rank = 0;
  Communicator world;
  Communicator self;
  HandlePool<Communicator, HandleKind::communicator> communicators;
  HandlePool<Datatype, HandleKind::datatype> types;
  HandlePool<Operation, HandleKind::operation> operations;
  HandlePool<Request, HandleKind::request> requests;
  std::uint32_t orphan_count = 0;
  std::uint32_t next_context = 4;  ///< 0 and 1 are the world's, 2 and 3 those of MPI_COMM_SELF
  ScratchPool scratch;
  void* attached_buffer = nullptr;
  int attached_size_bytes = 0;
  std::size_t buffer_bytes_used = 0;  ///< by messages that nobody has received yet
  std::uint32_t buffer_messages = 0;  ///< how many these are
  std::uint32_t buffer_generation = 0;
  std::int64_t last_wtime = -1;     ///< when MPI_Wtime was asked last ...
  std::uint32_t wtime_repeats = 0;  ///< ... and how often since then, with nothing in between
  char message[1024] = "";          ///< of the finding being made
};

/// One run of a job.  Made when a runtime is attached, gone when it is detached: nothing of a run
/// is left to the next one.
class Job {
 public:
  explicit Job(const OrreryRuntime& table) : table_(table) {}
  [[nodiscard]] const OrreryRuntime& table() const { return table_; }
  /// The state of the rank that calls, or null outside a simulated process.
  RankState* current_rank();
  CollectiveLedger& ledger() { return ledger_; }
  SentMessages& sent() { return sent_; }
  /// A message has been received, or will never be: its room in the sender's buffer is free again.
  void free_buffer(const SentMessage& message);

 private:
  const OrreryRuntime& table_;
  std::vector<std::unique_ptr<RankState>> ranks_;
  CollectiveLedger ledger_;
  SentMessages sent_;
};

/// The attached job, or null.  The C interface of MPI has no argument that could carry it.
Job* current_job();

}  // namespace orrery::mpi
