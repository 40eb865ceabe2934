#include "inlined_atomics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <span>

#include <cxxabi.h>

#include <orrery/program_host/elf_sections.hpp>

#include "instruction.hpp"

namespace orrery::cli {
namespace {

/// What compilers make of atomics.
std::vector<std::uint64_t> atomic_addresses(const ElfSections& sections) {
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) continue;
    const auto code = sections.content(i);
    for (std::size_t at = 0; at < code.size();) {
      const Instruction one = decode_instruction(code.subspan(at));
      if (one.is_atomic) found.push_back(header.sh_addr + at);
      at += std::max<std::size_t>(one.bytes, 1);
    }
  }
  return found;
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : symbol;
}

/// The functions of the table of symbols in which one of these lies.
std::set<std::string> functions_around(const ElfSections& sections,
                                       const std::vector<std::uint64_t>& addresses) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    if (header.sh_type != SHT_SYMTAB) continue;
    const auto symbols = sections.content(i);
    const auto texts = sections.content(header.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(symbols, at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      const auto first = std::ranges::lower_bound(addresses, symbol.st_value);
      if (first == addresses.end() || *first >= symbol.st_value + symbol.st_size) continue;
      names.insert(readable(std::string(text_at(texts, symbol.st_name))));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> functions_with_atomics(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  if (!is_elf(bytes)) return {};
  const ElfSections sections(bytes);
  std::vector<std::uint64_t> addresses = atomic_addresses(sections);
  if (addresses.empty()) return {};
  std::ranges::sort(addresses);
  const std::set<std::string> names = functions_around(sections, addresses);
  if (names.empty()) return {"functions without names"};
  return {names.begin(), names.end()};
}

}  // namespace orrery::cli
