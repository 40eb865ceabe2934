// Memory of a program that operations under way own (MPI 3.1, sections 3.7.2 and 11.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/known_pairs.hpp"
#include "types/memory_runs.hpp"

namespace orrery::mpi {

struct Call;
struct RankState;

/// The buffers of one rank's operations under way: from the call that starts an operation to the
/// one that completes it.  Two of them must not overlap unless both are only read.  That the
/// program leaves them alone meanwhile is seen by their content, at the end; and by each access,
/// where accesses are watched.
class OwnedMemory {
 public:
  /// Names a buffer that is owned; 0: none.
  using Ticket = std::uint32_t;

  /// The operation that `call` starts takes the buffer.  A finding if another one has any of it.
  /// `more` are buffers that it has already: the new ticket is for all of them.
  Ticket take(const Call& call, const BufferView& view, Ticket more = 0);
  /// The operation has done its work: what it has filled stays as it is until the program knows.
  void note_filled(Ticket ticket);
  /// The operation is complete: a finding of the calling line if the buffer's content is not what
  /// it was.  To be called before the operation's own data are put there.
  void check(const Call& call, Ticket ticket);
  /// The buffer is the program's again.  Nothing happens if the ticket is 0.
  void give_back(RankState& state, Ticket ticket);
  [[nodiscard]] bool is_empty() const { return ranges_.empty(); }
  /// A finding if an operation under way has any of this buffer, which a call is about to use.
  void check_use(const Call& call, const BufferView& view);

 private:
  struct Owner {
    BufferView view;
    const char* call = "";
    std::uintptr_t pc = 0;
    std::uintptr_t begin = 0;
    std::uint64_t digest = 0;
    std::uint64_t loan = 0;  ///< as those who watch accesses know it
    Ticket more = 0;
    bool is_settled = false;  ///< the digest is what the content must be
  };
  // Where a buffer lies: all that is looked at to find nothing.
  struct Range : Extent {
    Ticket ticket = 0;
    BufferShape shape = 0;  ///< 0: nobody has asked yet
    BufferUse use = BufferUse::reads;
    bool is_one_run = false;
  };
  static Range range_of(const BufferView& view);
  void check_one(const Call& call, const Owner& taken) const;
  void give_back_one(RankState& state, Ticket ticket);
  [[nodiscard]] const Owner& owner(Ticket ticket) const { return owners_[ticket - 1]; }
  /// Who has any of the buffer at `wanted` and does not only read what is only read; null: nobody.
  [[nodiscard]] const Owner* find_conflict(const BufferView& view, Range& wanted);
  /// Has the owner of a range that meets it any of that buffer?
  [[nodiscard]] bool has_any_of(const BufferView& view, Range& wanted, Range& range);
  [[nodiscard]] bool meets_runs(const BufferView& owned, const BufferView& view);

  std::vector<Owner> owners_;      // by ticket, less one
  std::vector<Ticket> unused_;     // of these
  std::vector<Range> ranges_;      // of those in use, by where they begin
  std::size_t longest_bytes_ = 0;  // that was ever owned
  KnownPairs known_pairs_;
  MemoryRuns wanted_runs_;  // of the buffer that is asked for; none yet: they have not been needed
};

}  // namespace orrery::mpi
