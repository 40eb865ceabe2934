// Memory of a program that operations under way own (MPI 3.1, sections 3.7.2 and 11.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "datatypes.hpp"

namespace orrery::mpi {

struct Call;
struct RankState;

/// What an operation does with its buffer.  While it is under way nobody else may write to a buffer
/// that it reads, nor touch one that it writes: at its end only (`writes`), or bit by bit while it
/// gets on (`fills`).
enum class BufferUse : std::uint8_t { reads, writes, fills };

/// `count` elements at `buffer`.
struct BufferView {
  const void* buffer = nullptr;
  const Datatype* type = nullptr;
  std::size_t count = 0;
  BufferUse use = BufferUse::reads;
  const char* section = "3.7.2";  ///< of the standard: it says until when the buffer is owned
};

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
  void check(const Call& call, Ticket ticket) const;
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
    std::uintptr_t end = 0;
    std::uint64_t digest = 0;
    Ticket more = 0;
    bool is_settled = false;  ///< the digest is what the content must be
  };
  void check_one(const Call& call, const Owner& taken) const;
  void give_back_one(RankState& state, Ticket ticket);
  struct Range {
    std::uintptr_t begin;
    Ticket ticket;
  };
  [[nodiscard]] const Owner& owner(Ticket ticket) const { return owners_[ticket - 1]; }
  /// Who has any of it and does not only read what is only read; null: nobody.
  [[nodiscard]] const Owner* find_conflict(const Owner& wanted);
  [[nodiscard]] bool share_memory(const BufferView& a, const BufferView& b);

  /// Two types at a distance: programs exchange the same parts of the same arrays again and again.
  struct Pair {
    const void* first = nullptr;  ///< the layouts, by which they are told apart
    const void* second = nullptr;
    std::ptrdiff_t first_extent_bytes = 0;
    std::ptrdiff_t second_extent_bytes = 0;
    std::size_t first_count = 0;
    std::size_t second_count = 0;
    std::uintptr_t distance_bytes = 0;
    friend bool operator==(const Pair&, const Pair&) = default;
  };
  struct Known {
    LayoutPointer first, second;  ///< kept, so that nobody else gets their addresses
    bool share_memory = false;
  };
  struct PairHash {
    std::size_t operator()(const Pair& pair) const;
  };

  std::vector<Owner> owners_;                              // by ticket, less one
  std::vector<Ticket> unused_;                             // of these
  std::vector<Range> ranges_;                              // of those in use, by where they begin
  std::size_t longest_bytes_ = 0;                          // that was ever owned
  std::unordered_map<Pair, Known, PairHash> known_pairs_;  // only ever looked up
};

/// Have two buffers a byte in common?
[[nodiscard]] bool share_memory(const BufferView& a, const BufferView& b);

}  // namespace orrery::mpi
