// MPI_Bcast.
#include <algorithm>

#include "moving_data.hpp"

namespace orrery::mpi {
namespace {

// From so many bytes and ranks on, less time is more than few messages (Thakur, Rabenseifner and
// Gropp 2005 go over at 12 KiB and 8 ranks).
constexpr std::size_t large_bytes = 64 * 1024;
constexpr std::int32_t large_ranks = 8;
// From here on a ring, which only neighbours use, is better than exchanges over all distances.
constexpr std::size_t ring_bytes = 512 * 1024;

// The data is cut into a piece for each rank; ranks are counted from the root on.
class Pieces {
 public:
  Pieces(const Collective& collective, std::int32_t root, std::byte* data, std::size_t size_bytes)
      : collective_(collective),
        root_(root),
        size_(collective.size()),
        relative_((collective.rank() - root + size_) % size_),
        data_(data),
        size_bytes_(size_bytes),
        piece_bytes_((size_bytes + static_cast<std::size_t>(size_) - 1) /
                     static_cast<std::size_t>(size_)) {}

  // A binomial tree in which everybody gets the pieces of all below.
  void scatter() const {
    std::int32_t distance = 1;
    while (distance < size_ && (relative_ & distance) == 0) distance *= 2;
    if (relative_ != 0) receive(relative_ - distance, relative_, relative_ + distance);
    for (distance /= 2; distance > 0; distance /= 2)
      if (relative_ + distance < size_)
        send(relative_ + distance, relative_ + distance, relative_ + 2 * distance);
  }

  void all_gather_ring() const {
    const std::int32_t next = (relative_ + 1) % size_;
    const std::int32_t previous = (relative_ + size_ - 1) % size_;
    for (std::int32_t step = 0; step + 1 < size_; ++step) {
      const std::int32_t outgoing = (relative_ + size_ - step) % size_;
      const std::int32_t incoming = (relative_ + 2 * size_ - step - 1) % size_;
      exchange(next, outgoing, outgoing + 1, previous, incoming, incoming + 1);
    }
  }

  // Recursive doubling, for a power of two ranks.
  void all_gather_doubling() const {
    for (std::int32_t distance = 1; distance < size_; distance *= 2) {
      const std::int32_t peer = relative_ ^ distance;
      const std::int32_t mine = relative_ & ~(distance - 1);
      const std::int32_t theirs = peer & ~(distance - 1);
      exchange(peer, mine, mine + distance, peer, theirs, theirs + distance);
    }
  }

 private:
  [[nodiscard]] std::int32_t rank_of(std::int32_t relative) const {
    return (relative + root_) % size_;
  }
  [[nodiscard]] std::size_t offset(std::int32_t piece) const {
    return std::min(static_cast<std::size_t>(piece) * piece_bytes_, size_bytes_);
  }
  void send(std::int32_t peer, std::int32_t first, std::int32_t end) const {
    collective_.send(rank_of(peer), data_ + offset(first), offset(end) - offset(first));
  }
  void receive(std::int32_t peer, std::int32_t first, std::int32_t end) const {
    collective_.receive(rank_of(peer), data_ + offset(first), offset(end) - offset(first));
  }
  void exchange(std::int32_t to, std::int32_t first, std::int32_t end, std::int32_t from,
                std::int32_t from_first, std::int32_t from_end) const {
    collective_.exchange(rank_of(to), data_ + offset(first), offset(end) - offset(first),
                         rank_of(from), data_ + offset(from_first),
                         offset(from_end) - offset(from_first));
  }

  const Collective& collective_;
  std::int32_t root_;
  std::int32_t size_;
  std::int32_t relative_;
  std::byte* data_;
  std::size_t size_bytes_;
  std::size_t piece_bytes_;
};

// R. van de Geijn's broadcast: scatter, then all gather (Barnett et al., Interprocessor Collective
// Communication Library, 1994).
void broadcast_pieces(const Collective& collective, std::int32_t root, std::byte* data,
                      std::size_t size_bytes) {
  const Pieces pieces(collective, root, data, size_bytes);
  pieces.scatter();
  const bool is_power_of_two = (collective.size() & (collective.size() - 1)) == 0;
  if (size_bytes < ring_bytes && is_power_of_two) {
    collective.goes_by("scatter and recursive doubling");
    pieces.all_gather_doubling();
  } else {
    collective.goes_by("scatter and ring");
    pieces.all_gather_ring();
  }
}

}  // namespace

void broadcast(const Collective& collective, std::int32_t root, const OwnBlock& data) {
  const std::size_t size_bytes = data.size_bytes();
  const bool is_direct = data.type->is_contiguous();
  const Scratch memory(collective.scratch(), is_direct ? 0 : size_bytes);
  auto* const packed = is_direct ? static_cast<std::byte*>(data.buffer) : memory.data();
  const bool is_root = collective.rank() == root;
  if (is_root && !is_direct) pack(*data.type, data.count, data.buffer, packed);
  if (size_bytes >= large_bytes && collective.size() >= large_ranks) {
    broadcast_pieces(collective, root, packed, size_bytes);
  } else {
    collective.goes_by("binomial tree");
    collective.broadcast(root, packed, size_bytes);
  }
  if (!is_root && !is_direct) unpack(*data.type, data.count, data.buffer, packed, size_bytes);
}

}  // namespace orrery::mpi
