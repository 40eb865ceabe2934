// Accesses of a program to memory that operations of MPI have.
#pragma once

#include <memory>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

namespace orrery {

/// Finds loads and stores of the program's own code, when they are done, to memory that an
/// operation has (`Observer::on_lent`): where nobody may write to what an operation reads or
/// updates, nor touch what it writes.  Gaps between the ranges of a loan are free.
///
/// Findings are of kind `mpi_usage` and of the loan's class, one for each pair of places in the
/// source: first the access, with its stack; then what has begun the operation; then, if it came to
/// that, what has ended it.  It watches no events, so that a run is the same with it and without.
///
/// Costs: a few nanoseconds an access; a look at each 4 KiB of memory that is lent.
class MpiBuffers final : public Detector {
 public:
  MpiBuffers();
  ~MpiBuffers() override;
  MpiBuffers(const MpiBuffers&) = delete;
  MpiBuffers& operator=(const MpiBuffers&) = delete;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_lent(const MemoryLoan& loan) override;
  void on_returned(std::uint64_t loan, TaskId task, const char* call,
                   const SourceLocation* where) override;
  void on_access(TaskId task, const MemoryAccess& access) override;
  void on_freed(Address address, std::uint64_t size_bytes) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::vector<Finding> remarks() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::unique_ptr<Detector> make_mpi_buffers();

/// Is it one of the above?  Others of its kind are found without a detector.
[[nodiscard]] bool is_access_to_lent_memory(const Finding& finding);
/// Is `access` such a finding, and `other` what came of it: found later, at a call, of the same
/// operation?
[[nodiscard]] bool tells_of(const Finding& access, const Finding& other);

}  // namespace orrery
