#include "function_symbols.hpp"

#include <cctype>
#include <string_view>

#include <elf.h>

#include <orrery/program_host/elf_sections.hpp>

#include "function_name.hpp"

namespace orrery::host {
namespace {

bool is_split_off(std::string_view suffix) {
  return suffix.find(".cold") != std::string_view::npos ||
         suffix.find(".part.") != std::string_view::npos;
}

/// What the linker's name has in it, too: saves us from demangling nearly all.  Empty if not known.
std::string_view last_word(std::string_view name) {
  if (name.find("operator") != std::string_view::npos) return {};
  const auto is_of_a_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  std::size_t begin = name.size();
  while (begin > 0 && is_of_a_word(name[begin - 1])) --begin;
  return name.substr(begin);
}

bool is_called(std::string_view linkage_name, const std::string& name) {
  if (linkage_name.find(last_word(name)) == std::string_view::npos) return false;
  const std::size_t dot = linkage_name.find('.');
  if (dot != std::string_view::npos && is_split_off(linkage_name.substr(dot))) return false;
  const std::string_view whole = linkage_name.substr(0, dot);
  return whole == name || detail::function_name(std::string(whole)) == name;
}

}  // namespace

std::vector<std::uintptr_t> functions_named(std::span<const std::byte> file,
                                            const std::string& name) {
  std::vector<std::uintptr_t> begins;
  const ElfSections sections(file);
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    const auto symbols = sections.content(i);
    const auto names = sections.content(header.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(symbols, at);
      const bool is_function =
          ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (is_function && is_called(text_at(names, symbol.st_name), name)) {
        begins.push_back(symbol.st_value);
      }
    }
  }
  return begins;
}

}  // namespace orrery::host
