#include "inputs_block.hpp"

#include <algorithm>
#include <limits>

#include "byte_cursor.hpp"

namespace orrery::detail {
namespace {

// How the standard input is written down; 0: none was read, by the first rank.
constexpr std::uint8_t first_ranks_input = 1;
constexpr std::uint8_t input_of_a_rank = 2;  // the rank, too

// Far below what a block may hold, whose content is compressed as a whole.
constexpr std::size_t input_bytes_per_block = std::size_t{16} << 20U;

std::int32_t reading_rank(ByteReader& in) {
  const std::int64_t rank = in.zigzag();
  if (rank < ProgramInputs::every_rank || rank > std::numeric_limits<std::int32_t>::max()) {
    in.fail("no such rank");
  }
  return static_cast<std::int32_t>(rank);
}

}  // namespace

std::vector<std::byte> encode_inputs(const ProgramInputs& inputs) {
  ByteWriter out;
  out.varint(inputs.files.size());
  for (const InputFile& file : inputs.files) {
    out.text(file.path);
    out.u8(static_cast<std::uint8_t>(file.kind));
    out.u8(static_cast<std::uint8_t>(file.keeping));
    out.varint(file.mode);
    out.varint(file.bytes);
    out.zigzag(file.modified_s);
    if (file.keeping == InputKeeping::hash) out.varint(file.hash);
    if (file.keeping == InputKeeping::content) out.text(file.content);
  }
  const bool is_first_ranks = inputs.standard_input_rank == 0;
  out.u8(!is_first_ranks ? input_of_a_rank : inputs.has_standard_input ? first_ranks_input : 0);
  if (!is_first_ranks) out.zigzag(inputs.standard_input_rank);
  if (!is_first_ranks || inputs.has_standard_input) out.text(inputs.standard_input);
  // Nothing at all of simulated runs, which all have the same.
  if (!inputs.clock_origins.empty()) out.varint(inputs.clock_origins.size());
  for (const ClockOrigins& origins : inputs.clock_origins) {
    out.zigzag(origins.calendar_ns);
    out.zigzag(origins.atomic_time_ns);
    out.zigzag(origins.monotonic_ns);
    out.zigzag(origins.boot_ns);
  }
  return out.take();
}

void append_inputs(LogWriter& log, const ProgramInputs& inputs) {
  const bool is_plain =
      inputs.files.empty() && !inputs.has_standard_input && inputs.clock_origins.empty();
  if (is_plain && inputs.standard_input_rank == 0) return;
  const std::vector<std::byte> all = encode_inputs(inputs);
  for (std::size_t at = 0; at < all.size(); at += input_bytes_per_block) {
    log.append(BlockKind::inputs,
               std::span(all).subspan(at, std::min(input_bytes_per_block, all.size() - at)));
  }
}

ProgramInputs decode_inputs(std::span<const std::byte> bytes, std::string_view where) {
  ByteReader in(bytes, where);
  ProgramInputs inputs;
  inputs.files.resize(in.count(6));
  for (InputFile& file : inputs.files) {
    file.path = in.text();
    const std::uint8_t kind = in.u8();
    if (kind > static_cast<std::uint8_t>(InputFile::Kind::other)) in.fail("a file of no kind");
    file.kind = static_cast<InputFile::Kind>(kind);
    const std::uint8_t keeping = in.u8();
    if (keeping > static_cast<std::uint8_t>(InputKeeping::unread)) in.fail("a file kept in no way");
    file.keeping = static_cast<InputKeeping>(keeping);
    file.mode = in.varint32();
    file.bytes = in.varint();
    file.modified_s = in.zigzag();
    if (file.keeping == InputKeeping::hash) file.hash = in.varint();
    if (file.keeping == InputKeeping::content) {
      file.content = in.text();
      file.hash = hash_input(file.content);
    }
  }
  const std::uint8_t form = in.u8();
  if (form > input_of_a_rank) in.fail("a standard input of no kind");
  if (form == input_of_a_rank) inputs.standard_input_rank = reading_rank(in);
  if (form != 0) inputs.standard_input = in.text();
  inputs.has_standard_input = !inputs.standard_input.empty();
  if (!in.at_end()) inputs.clock_origins.resize(in.count(4));
  for (ClockOrigins& origins : inputs.clock_origins) {
    origins.calendar_ns = in.zigzag();
    origins.atomic_time_ns = in.zigzag();
    origins.monotonic_ns = in.zigzag();
    origins.boot_ns = in.zigzag();
  }
  in.finish();
  return inputs;
}

}  // namespace orrery::detail
