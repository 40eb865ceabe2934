#include "program_info.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>

#include "byte_cursor.hpp"

namespace orrery {
namespace {

constexpr std::array<std::string_view, 3> kind_names = {"scenario", "binary", "test"};

// FNV-1a over 64 bits, twice with different beginnings: short, and the same everywhere.
std::uint64_t hash_text(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

std::string_view name(ProgramInfo::Kind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

std::string this_host_id() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  if (!std::getline(file, id) || id.empty()) return {};
  id = "orrery " + id;
  return fmt::format("{:016x}{:016x}", hash_text(0xcbf29ce484222325U, id),
                     hash_text(0x9e3779b97f4a7c15U, id));
}

std::vector<std::byte> encode_program(const ProgramInfo& program) {
  detail::ByteWriter out;
  out.u8(static_cast<std::uint8_t>(program.kind));
  out.text(program.name);
  out.text(program.path);
  out.varint(program.build_ids.size());
  for (const auto& [path, hex] : program.build_ids) {
    out.text(path);
    out.text(hex);
  }
  out.varint(program.arguments.size());
  for (const std::string& argument : program.arguments) out.text(argument);
  out.varint(program.environment.size());
  for (const auto& [variable, value] : program.environment) {
    out.text(variable);
    out.text(value);
  }
  out.varint(program.ranks);
  out.text(program.platform);
  out.text(program.host);
  if (!program.directory.empty()) out.text(program.directory);
  return out.take();
}

ProgramInfo decode_program(std::span<const std::byte> bytes, std::string_view where) {
  detail::ByteReader in(bytes, where);
  ProgramInfo program;
  const std::uint8_t kind = in.u8();
  if (kind >= kind_names.size()) in.fail("a program of an unknown kind");
  program.kind = static_cast<ProgramInfo::Kind>(kind);
  program.name = in.text();
  program.path = in.text();
  program.build_ids.resize(in.count(2));
  for (auto& id : program.build_ids) {
    id.path = in.text();
    id.hex = in.text();
  }
  program.arguments.resize(in.count());
  for (std::string& argument : program.arguments) argument = in.text();
  program.environment.resize(in.count(2));
  for (auto& [variable, value] : program.environment) {
    variable = in.text();
    value = in.text();
  }
  program.ranks = in.varint32();
  program.platform = in.text();
  program.host = in.text();
  if (!in.at_end()) program.directory = in.text();
  in.finish();
  return program;
}

}  // namespace orrery
