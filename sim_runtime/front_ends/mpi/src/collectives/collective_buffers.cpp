#include "collective_buffers.hpp"

namespace orrery::mpi {
namespace {

// That says until when the buffers are owned.
constexpr const char* section = "5.12";

// Blocks side by side are one buffer.
template <typename Visitor>
void for_each_view(const RankBlocks& blocks, BufferUse use, Visitor&& visit) {
  if (blocks.in_place() || blocks.has_counts_only()) return;
  const bool side_by_side = blocks.counts == nullptr && blocks.displacements == nullptr &&
                            blocks.types == nullptr && blocks.byte_displacements == nullptr;
  if (side_by_side) {
    const auto count = static_cast<std::size_t>(blocks.number) * blocks.count_of(0);
    visit(BufferView{blocks.buffer, blocks.type, count, use, section});
    return;
  }
  for (std::int32_t block = 0; block < blocks.number; ++block)
    visit(BufferView{blocks.address_of(block), &blocks.type_of(block), blocks.count_of(block), use,
                     section});
}

// In place, what is sent lies where the result goes.
bool sends_apart(const CollectiveData& data) {
  return data.received.in_place() || data.sent.buffer != data.received.buffer;
}

}  // namespace

OwnedMemory::Ticket own_buffers(const Call& call, const CollectiveData& data) {
  OwnedMemory::Ticket all = 0;
  const auto take = [&](const BufferView& view) { all = call.state.owned.take(call, view, all); };
  if (sends_apart(data)) for_each_view(data.sent, BufferUse::reads, take);
  for_each_view(data.received, BufferUse::fills, take);
  return all;
}

void lend_buffers(LentWhileCalling& lent, const CollectiveData& data) {
  const auto lend = [&](const BufferView& view) { lent.add(view); };
  if (sends_apart(data)) for_each_view(data.sent, BufferUse::reads, lend);
  for_each_view(data.received, BufferUse::fills, lend);
}

void check_buffers(const Call& call, const CollectiveData& data) {
  if (call.state.owned.is_empty()) return;
  const auto check = [&](const BufferView& view) { call.state.owned.check_use(call, view); };
  if (sends_apart(data)) for_each_view(data.sent, BufferUse::reads, check);
  for_each_view(data.received, BufferUse::fills, check);
}

}  // namespace orrery::mpi
