#include "access_sites.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>

#include <elfutils/libdw.h>

#include <orrery/program_host/elf_sections.hpp>

namespace orrery::cli {
namespace {

constexpr std::byte call_instruction{0xe8};
constexpr std::size_t call_bytes = 5;

std::unordered_set<std::uint64_t> hooks_in(const ElfSections& sections) {
  std::unordered_set<std::uint64_t> hooks;
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    if (header.sh_type != SHT_SYMTAB) continue;
    const auto symbols = sections.content(i);
    const auto texts = sections.content(header.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(symbols, at);
      if (is_access_hook(text_at(texts, symbol.st_name))) hooks.insert(symbol.st_value);
    }
  }
  hooks.erase(0);
  return hooks;
}

}  // namespace

bool is_access_hook(std::string_view symbol) {
  constexpr std::string_view prefix = "__tsan_";
  if (!symbol.starts_with(prefix)) return false;
  symbol.remove_prefix(prefix.size());
  constexpr std::array<std::string_view, 4> accesses{"read", "write", "unaligned_", "volatile_"};
  return symbol.starts_with("vptr_") || std::ranges::any_of(accesses, [&](std::string_view one) {
           return symbol.starts_with(one);
         });
}

AccessSites::AccessSites(std::span<const std::byte> image) : image_(image) {
  const ElfSections sections(image);
  const std::unordered_set<std::uint64_t> hooks = hooks_in(sections);
  for (std::size_t i = 0; i < sections.headers().size() && !hooks.empty(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) continue;
    const auto code = sections.content(i);
    for (std::size_t at = 0; at + call_bytes <= code.size(); ++at) {
      if (code[at] != call_instruction) continue;
      const std::uint64_t behind = header.sh_addr + at + call_bytes;
      const auto distance = value_at<std::int32_t>(code, at + 1);
      if (!hooks.contains(behind + static_cast<std::uint64_t>(std::int64_t{distance}))) continue;
      calls_.push_back({behind, static_cast<std::size_t>(header.sh_offset) + at});
    }
  }
  std::ranges::sort(calls_, {}, &Call::site);
}

const AccessSites::Call* AccessSites::find(std::uint64_t site) const {
  const auto found = std::ranges::lower_bound(calls_, site, {}, &Call::site);
  return found == calls_.end() || found->site != site ? nullptr : &*found;
}

std::vector<const AccessSites::Call*> AccessSites::of_line(const std::string& file,
                                                           unsigned line) const {
  elf_version(EV_CURRENT);
  auto* const bytes = reinterpret_cast<char*>(const_cast<std::byte*>(image_.data()));
  const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_memory(bytes, image_.size()), &elf_end);
  if (elf == nullptr) return {};
  const std::unique_ptr<Dwarf, decltype(&dwarf_end)> debug(
      dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr), &dwarf_end);
  if (debug == nullptr) return {};
  std::vector<const Call*> found;
  for (const Call& call : calls_) {
    Dwarf_Die unit{};
    if (dwarf_addrdie(debug.get(), call.site - 1, &unit) == nullptr) continue;
    Dwarf_Line* const there = dwarf_getsrc_die(&unit, call.site - 1);
    int number = 0;
    if (there == nullptr || dwarf_lineno(there, &number) != 0) continue;
    const char* const path = dwarf_linesrc(there, nullptr, nullptr);
    if (path == nullptr || number != static_cast<int>(line)) continue;
    const std::string_view text = path;
    if (text == file || text.ends_with("/" + file)) found.push_back(&call);
  }
  return found;
}

void AccessSites::switch_off(const Call& call, std::span<std::byte> image) {
  constexpr std::array<unsigned char, call_bytes> nothing{0x0f, 0x1f, 0x44, 0x00, 0x00};
  std::memcpy(image.data() + call.offset, nothing.data(), nothing.size());
}

}  // namespace orrery::cli
