#include "inputs_block.hpp"

#include "byte_cursor.hpp"

namespace orrery::detail {

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
  out.u8(inputs.has_standard_input ? 1 : 0);
  if (inputs.has_standard_input) out.text(inputs.standard_input);
  return out.take();
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
  const std::uint8_t has_standard_input = in.u8();
  if (has_standard_input > 1) in.fail("neither yes nor no");
  inputs.has_standard_input = has_standard_input == 1;
  if (inputs.has_standard_input) inputs.standard_input = in.text();
  in.finish();
  return inputs;
}

}  // namespace orrery::detail
