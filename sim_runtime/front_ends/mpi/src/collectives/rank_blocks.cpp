#include "rank_blocks.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

std::uint64_t content_hash(const Datatype& type, std::size_t count) {
  return count == 0 || is_packed(type) ? 0 : signature(type, count).hash;
}

// Bytes of a program's that a call reads or writes.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::int32_t block = 0;
  bool is_received = false;
};

std::size_t ranges_max(const RankBlocks* blocks) {
  return blocks == nullptr || blocks->in_place() ? 0 : static_cast<std::size_t>(blocks->number);
}

// Types with gaps are left out: their blocks may lie between one another.
std::size_t add_ranges(const RankBlocks* blocks, bool is_received, Range* ranges) {
  if (ranges_max(blocks) == 0) return 0;
  if (blocks->types == nullptr && blocks->is_contiguous()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(blocks->buffer);
    ranges[0] = {begin, begin + blocks->total_bytes(), 0, is_received};
    return 1;
  }
  std::size_t used = 0;
  for (std::int32_t block = 0; block < blocks->number; ++block) {
    if (!blocks->type_of(block).is_contiguous() || blocks->bytes_of(block) == 0) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(blocks->address_of(block));
    ranges[used++] = {begin, begin + blocks->bytes_of(block), block, is_received};
  }
  return used;
}

template <typename T>
std::vector<T> copy_of(const T* values, std::int32_t number) {
  return values == nullptr ? std::vector<T>() : std::vector<T>(values, values + number);
}

template <typename T>
const T* array_of(const T* given, const std::vector<T>& own) {
  return given == nullptr ? nullptr : own.data();
}

int check_array(const Call& call, const Communicator& communicator, const void* array,
                const char* argument) {
  if (array != nullptr) return MPI_SUCCESS;
  return call.fail(&communicator, MPI_ERR_ARG,
                   "argument %s is a null pointer, and is read here (MPI 3.1, section 5.1)",
                   argument);
}

int check_arrays(const Call& call, const Communicator& communicator, const BlockNames& names,
                 const RankBlocks& blocks) {
  if (const int error = check_array(call, communicator, blocks.counts, names.counts)) return error;
  const void* const places = blocks.displacements != nullptr
                                 ? static_cast<const void*>(blocks.displacements)
                                 : blocks.byte_displacements;
  return check_array(call, communicator, places, names.displacements);
}

int check_block(const Call& call, const Communicator& communicator, const BlockNames& names,
                const RankBlocks& blocks, std::int32_t block) {
  const int count = blocks.counts[block];
  if (count < 0)
    return call.fail(&communicator, MPI_ERR_COUNT,
                     "argument %s[%d] is %d, and must not be negative (MPI 3.1, section 5.1)",
                     names.counts, block, count);
  if (count == 0) return MPI_SUCCESS;
  if (blocks.buffer == MPI_IN_PLACE)
    return call.check_buffer(&communicator, blocks.buffer, blocks.type_of(block),
                             blocks.count_of(block), names.buffer);
  return call.check_buffer(&communicator, blocks.address_of(block), blocks.type_of(block),
                           blocks.count_of(block), names.buffer);
}

}  // namespace

void* RankBlocks::address_of(std::int32_t block) const {
  auto* const start = static_cast<std::byte*>(buffer);
  if (byte_displacements != nullptr) return start + byte_displacements[block];
  if (types != nullptr) return start + displacements[block];
  const std::ptrdiff_t displacement =
      displacements == nullptr ? static_cast<std::ptrdiff_t>(block) * count : displacements[block];
  return start + displacement * type->extent_bytes();
}

std::uint64_t RankBlocks::hash_of(std::int32_t block) const {
  return content_hash(type_of(block), count_of(block));
}

std::size_t RankBlocks::total_bytes() const {
  std::size_t total = 0;
  for (std::int32_t block = 0; block < number; ++block) total += bytes_of(block);
  return total;
}

std::size_t RankBlocks::total_count() const {
  std::size_t total = 0;
  for (std::int32_t block = 0; block < number; ++block) total += count_of(block);
  return total;
}

std::uint64_t hash_of_sizes(const RankBlocks& blocks) {
  std::uint64_t hash = 1;
  for (std::int32_t block = 0; block < blocks.number; ++block) {
    hash = (hash ^ blocks.bytes_of(block)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash | 1U;
}

std::uint64_t OwnBlock::hash() const {
  return content_hash(*type, count);
}

OwnBlock own_block(const RankBlocks& blocks, std::int32_t block) {
  if (blocks.in_place()) return {};
  return {&blocks.type_of(block), blocks.address_of(block), blocks.count_of(block)};
}

KeptBlocks::KeptBlocks(const RankBlocks& blocks)
    : blocks_(blocks),
      counts_(copy_of(blocks.counts, blocks.number)),
      displacements_(copy_of(blocks.displacements, blocks.number)),
      byte_displacements_(copy_of(blocks.byte_displacements, blocks.number)),
      types_(copy_of(blocks.types, blocks.number)) {}

RankBlocks KeptBlocks::blocks() const {
  RankBlocks blocks = blocks_;
  blocks.counts = array_of(blocks.counts, counts_);
  blocks.displacements = array_of(blocks.displacements, displacements_);
  blocks.byte_displacements = array_of(blocks.byte_displacements, byte_displacements_);
  blocks.types = array_of(blocks.types, types_);
  return blocks;
}

int check_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                 const BlockNames& names, std::int32_t number, RankBlocks& blocks) {
  blocks.number = number;
  return call.check_data(&communicator, blocks.buffer, blocks.count, type, names.buffer,
                         blocks.type);
}

int check_varied_blocks(const Call& call, const Communicator& communicator, MPI_Datatype type,
                        const BlockNames& names, std::int32_t number, RankBlocks& blocks) {
  if (const int error = check_blocks(call, communicator, type, names, number, blocks)) return error;
  if (number == 0) return MPI_SUCCESS;
  if (const int error = check_arrays(call, communicator, names, blocks)) return error;
  for (std::int32_t block = 0; block < number; ++block)
    if (const int error = check_block(call, communicator, names, blocks, block)) return error;
  return MPI_SUCCESS;
}

int check_typed_blocks(const Call& call, const Communicator& communicator,
                       const MPI_Datatype* handles, const BlockNames& names, std::int32_t number,
                       const Datatype** types, RankBlocks& blocks) {
  blocks.number = number;
  blocks.types = types;
  blocks.type = &builtin_type(Builtin::byte);
  if (number == 0) return MPI_SUCCESS;
  if (const int error = check_arrays(call, communicator, names, blocks)) return error;
  const char* const argument = names.types;
  if (const int error = check_array(call, communicator, handles, argument)) return error;
  for (std::int32_t block = 0; block < number; ++block) {
    if (const int error = call.check_type(&communicator, handles[block], argument, types[block]))
      return error;
    if (!types[block]->committed)
      return call.fail(&communicator, MPI_ERR_TYPE,
                       "argument %s[%d] is a type that was not committed with MPI_Type_commit (MPI "
                       "3.1, section 4.1.9)",
                       argument, block);
    if (const int error = check_block(call, communicator, names, blocks, block)) return error;
  }
  blocks.type = types[0];
  return MPI_SUCCESS;
}

int check_own(const Call& call, const Communicator& communicator, const void* buffer, int count,
              MPI_Datatype type, const char* buffer_argument, RankBlocks& block) {
  block.buffer = const_cast<void*>(buffer);
  block.count = count;
  block.number = 1;
  return call.check_data(&communicator, buffer, count, type, buffer_argument, block.type);
}

int check_apart(const Call& call, const Communicator& communicator, const RankBlocks* sent,
                const RankBlocks* received) {
  const std::size_t room = ranges_max(sent) + ranges_max(received);
  if (room == 0) return MPI_SUCCESS;
  const Scratch memory(call.state.scratch, room * sizeof(Range));
  Range* const ranges = memory.array<Range>();
  std::size_t used = add_ranges(received, true, ranges);
  used += add_ranges(sent, false, ranges + used);
  std::sort(ranges, ranges + used, [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.is_received && !b.is_received;
  });
  const Range* last[2] = {nullptr, nullptr};  // of what is sent and received: whose end is farthest
  for (const Range* range = ranges; range != ranges + used; ++range) {
    for (const bool with_received : {true, false}) {
      if (!with_received && !range->is_received) continue;  // sending twice is fine
      const Range* const other = last[with_received ? 1 : 0];
      if (other == nullptr || other->end <= range->begin) continue;
      if (range->is_received && with_received)
        return call.fail(&communicator, {MPI_ERR_BUFFER, Misuse::overlapping_buffers},
                         "blocks %d and %d of recvbuf overlap: no place may be written more than "
                         "once (MPI 3.1, section 5.5)",
                         std::min(other->block, range->block),
                         std::max(other->block, range->block));
      return call.fail(&communicator, MPI_ERR_BUFFER,
                       "arguments sendbuf and recvbuf are the same memory or overlap; MPI_IN_PLACE "
                       "is for that (MPI 3.1, sections 2.3 and 5.2.1)");
    }
    const Range*& farthest = last[range->is_received ? 1 : 0];
    if (farthest == nullptr || farthest->end < range->end) farthest = range;
  }
  return MPI_SUCCESS;
}

int check_same_data(const Call& call, const Communicator& communicator, const OwnBlock& sent,
                    const OwnBlock& received) {
  if (sent.in_place() || received.in_place() || sent.size_bytes() + received.size_bytes() == 0)
    return MPI_SUCCESS;
  const bool is_any_type = is_packed(*sent.type) || is_packed(*received.type);
  if (is_any_type ? sent.size_bytes() == received.size_bytes()
                  : signature(*sent.type, sent.count) == signature(*received.type, received.count))
    return MPI_SUCCESS;
  return call.fail(
      &communicator, {MPI_ERR_TRUNCATE, Misuse::collective_mismatch},
      "%zu elements of %s are sent, and the block for them has %zu elements of %s: the "
      "type signatures must be equal (MPI 3.1, section 5.1)",
      sent.count, sent.type->name, received.count, received.type->name);
}

}  // namespace orrery::mpi
