#include <orrery/program_host/elf_sections.hpp>

namespace orrery {
namespace {

std::span<const std::byte> part(std::span<const std::byte> bytes, std::size_t offset,
                                std::size_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

}  // namespace

bool is_elf(std::span<const std::byte> file) {
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

std::string_view text_at(std::span<const std::byte> table, std::size_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view text(reinterpret_cast<const char*>(table.data()) + offset,
                              table.size() - offset);
  return text.substr(0, text.find('\0'));
}

// Where there are too many for the file's header, the first section's header has the numbers.
ElfSections::ElfSections(std::span<const std::byte> file) : file_(file) {
  if (!is_elf(file)) return;
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (header.e_shoff == 0) return;
  const auto first = value_at<Elf64_Shdr>(file, header.e_shoff);
  const std::size_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  if (count > file.size() / sizeof(Elf64_Shdr)) return;
  names_ = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  const auto table = part(file, header.e_shoff, count * sizeof(Elf64_Shdr));
  headers_.resize(table.size() / sizeof(Elf64_Shdr));
  if (!headers_.empty()) std::memcpy(headers_.data(), table.data(), table.size());
  if (names_ >= headers_.size()) headers_.clear();
}

std::span<const std::byte> ElfSections::content(std::size_t index) const {
  if (index >= headers_.size() || headers_[index].sh_type == SHT_NOBITS) return {};
  return part(file_, headers_[index].sh_offset, headers_[index].sh_size);
}

std::size_t ElfSections::find(std::string_view name) const {
  const auto names = content(names_);
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    if (text_at(names, headers_[i].sh_name) == name) return i;
  }
  return headers_.size();
}

}  // namespace orrery
