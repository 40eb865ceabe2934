#include "compile_elf.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>

namespace orrery::cli {
namespace {

constexpr std::size_t alignment = 8;

std::size_t aligned(std::size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

/// What is added behind a file, and the header that knows of it.
class Extension {
 public:
  explicit Extension(std::span<const std::byte> file)
      : file_(file),
        sections_(file),
        header_(value_at<Elf64_Ehdr>(file, 0)),
        headers_(sections_.headers()) {
    const auto names = sections_.content(sections_.names());
    names_.assign(names.begin(), names.end());
    pad();
  }

  void add(const NewSection& section) {
    Elf64_Shdr header{};
    header.sh_type = SHT_PROGBITS;
    header.sh_flags = section.is_for_linkers ? Elf64_Xword{SHF_EXCLUDE} : 0;
    header.sh_addralign = alignment;
    header.sh_offset = end();
    header.sh_size = section.content.size();
    tail_.insert(tail_.end(), section.content.begin(), section.content.end());
    pad();
    const std::size_t former = sections_.find(section.name);
    if (former < sections_.headers().size()) {
      header.sh_name = headers_[former].sh_name;
      headers_[former] = header;
      return;
    }
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    for (const char c : section.name) names_.push_back(static_cast<std::byte>(c));
    names_.push_back(std::byte{0});
    headers_.push_back(header);
  }

  void finish() {
    Elf64_Shdr& names = headers_[sections_.names()];
    names.sh_offset = end();
    names.sh_size = names_.size();
    tail_.insert(tail_.end(), names_.begin(), names_.end());
    pad();
    header_.e_shoff = end();
    const std::size_t count = headers_.size();
    const bool fits = count < SHN_LORESERVE;
    header_.e_shnum = fits ? static_cast<Elf64_Half>(count) : Elf64_Half{0};
    headers_[0].sh_size = fits ? 0 : count;
    const auto* const begin = reinterpret_cast<const std::byte*>(headers_.data());
    tail_.insert(tail_.end(), begin, begin + count * sizeof(Elf64_Shdr));
  }

  [[nodiscard]] const Bytes& tail() const { return tail_; }
  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }

 private:
  [[nodiscard]] std::size_t end() const { return file_.size() + tail_.size(); }
  void pad() { tail_.resize(tail_.size() + aligned(end()) - end()); }

  std::span<const std::byte> file_;
  ElfSections sections_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> headers_;
  Bytes names_;
  Bytes tail_;
};

[[noreturn]] void fail_to_write(const std::filesystem::path& file) {
  throw UsageError(std::strerror(errno), file.string(), "make room, or write to another place");
}

void write_at(int descriptor, const void* bytes, std::size_t size, std::size_t offset,
              const std::filesystem::path& file) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = pwrite(descriptor, from, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_to_write(file);
    from += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

Bytes read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  Bytes bytes(stream ? std::filesystem::file_size(file, error) : 0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) throw UsageError("the file cannot be read", file.string(), std::strerror(errno));
  return bytes;
}

void add_sections(const std::filesystem::path& file, const std::vector<NewSection>& sections) {
  const Bytes bytes = read_bytes(file);
  if (ElfSections(bytes).headers().empty()) {
    throw UsageError("this is no object file with sections", file.string(),
                     "orrery cc and c++ make 64-bit ELF files");
  }
  Extension extension(bytes);
  for (const NewSection& section : sections) extension.add(section);
  extension.finish();
  // A file under several names may be one of a compiler cache's: it stays as it is.
  struct stat status {};
  const bool is_shared = stat(file.c_str(), &status) == 0 && status.st_nlink > 1;
  const std::filesystem::path target(file.string() + (is_shared ? ".orrery" : ""));
  const int descriptor = open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, status.st_mode);
  if (descriptor < 0) fail_to_write(target);
  if (is_shared) write_at(descriptor, bytes.data(), bytes.size(), 0, target);
  // The header is last: until then the file is what the compiler made.
  write_at(descriptor, extension.tail().data(), extension.tail().size(), bytes.size(), target);
  write_at(descriptor, &extension.header(), sizeof(Elf64_Ehdr), 0, target);
  if (close(descriptor) != 0) fail_to_write(target);
  if (is_shared) std::filesystem::rename(target, file);
}

Bytes guard_addresses(std::span<const std::byte> file) {
  const ElfSections sections(file);
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const Elf64_Shdr& header = sections.headers()[i];
    const bool has_symbols = header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM;
    if (!has_symbols || header.sh_link >= sections.headers().size()) continue;
    const auto symbols = sections.content(i);
    const auto names = sections.content(header.sh_link);
    for (std::size_t at = 0; at < symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(symbols, at);
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) == STT_TLS) continue;
      if (text_at(names, symbol.st_name).starts_with("_ZGV")) addresses.push_back(symbol.st_value);
    }
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  Bytes bytes(addresses.size() * sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), addresses.data(), bytes.size());
  return bytes;
}

}  // namespace orrery::cli
