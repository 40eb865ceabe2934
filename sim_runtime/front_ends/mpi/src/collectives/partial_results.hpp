// What a rank has of a reduction while it goes on.
#pragma once

#include "collectives.hpp"
#include "reductions.hpp"

namespace orrery::mpi {

/// What a reduction works on.
struct Reduction {
  const Operation& operation;
  const Datatype& type;
  MPI_Datatype handle;
  std::size_t count;
  [[nodiscard]] std::size_t size_bytes() const { return count * type.size_bytes; }
};

/// Elements `first` to `end` - 1.
struct Elements {
  std::size_t first = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t count() const { return end - first; }
};

/// The elements of a reduction as one rank has combined them so far.  Whoever combines keeps the
/// ranks in order, so that an operation need not commute, and gives the same in every run even if
/// it does so only nearly (floating point).
class PartialResult {
 public:
  PartialResult(const Collective& collective, const Reduction& reduction);

  [[nodiscard]] const Reduction& reduction() const { return reduction_; }
  [[nodiscard]] Elements all() const { return {0, reduction_.count}; }
  void load(Elements elements, const void* from);
  void store(Elements elements, void* to) const;

  void send(Peer destination, Elements elements) const;
  void receive(Peer source, Elements elements);
  /// What comes was combined from lower ranks than what is here, or from higher ones.
  void receive_lower(Peer source, Elements elements);
  void receive_higher(Peer source, Elements elements);
  /// Both send at once; what comes is combined with what is here.
  void combine_with(Peer peer, Elements outgoing, Elements incoming, bool peer_is_lower);
  /// Both send at once; what comes takes the place of what is here.
  void exchange(Peer peer, Elements outgoing, Elements incoming);
  /// All ranks get what rank 0 has.
  void broadcast_from_first();
  /// Combines with another partial result of the same reduction, of lower ranks.
  void combine_lower(const PartialResult& lower);

 private:
  [[nodiscard]] void* here(Elements elements) const;
  [[nodiscard]] void* there(Elements elements) const;
  /// Elements as they are sent: where they lie, if that is one run of bytes.
  [[nodiscard]] const std::byte* packed(Elements elements) const;
  void unpack_to(void* place, Elements elements) const;
  [[nodiscard]] std::byte* incoming_place(void* place) const;
  void combine(Elements elements, bool came_from_lower);
  [[nodiscard]] std::size_t size_bytes(Elements elements) const {
    return elements.count() * reduction_.type.size_bytes;
  }

  const Collective& collective_;
  Reduction reduction_;
  TypedScratch mine_;
  TypedScratch theirs_;
  Scratch packed_;
};

}  // namespace orrery::mpi
