#include "own_program.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <orrery/replay_core/rank_spool.hpp>

namespace orrery::on_hardware {
namespace {

std::string content_of(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  std::string content;
  std::array<char, 4096> part{};
  ssize_t length = 0;
  while (file >= 0 && (length = read(file, part.data(), part.size())) > 0) {
    content.append(part.data(), static_cast<std::size_t>(length));
  }
  if (file >= 0) close(file);
  return content;
}

/// The build id among the notes of a segment that is loaded; empty: not there.
std::string build_id_in(std::uintptr_t at, std::uintptr_t end) {
  const auto padded = [](std::uintptr_t size) { return (size + 3) / 4 * 4; };
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const std::uintptr_t name = at + sizeof *note;
    const std::uintptr_t content = name + padded(note->n_namesz);
    at = content + padded(note->n_descsz);
    const bool is_gnus =
        note->n_namesz == 4 && std::string(reinterpret_cast<const char*>(name), 3) == "GNU";
    if (!is_gnus || note->n_type != NT_GNU_BUILD_ID || at > end) continue;
    std::string text;
    for (std::uint32_t i = 0; i < note->n_descsz; ++i) {
      const unsigned byte = reinterpret_cast<const unsigned char*>(content)[i];
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 15U];
    }
    return text;
  }
  return {};
}

int find_build_id(dl_phdr_info* object, std::size_t, void* into) {
  auto& found = *static_cast<std::string*>(into);
  for (int i = 0; i < object->dlpi_phnum && found.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    found = build_id_in(begin, begin + segment.p_memsz);
  }
  return 1;  // the program comes first
}

}  // namespace

OwnProgram::OwnProgram() {
  std::array<char, 4096> text{};
  const ssize_t length = readlink("/proc/self/exe", text.data(), text.size() - 1);
  // Its second image may run in its place.
  const char* const given = std::getenv(rank_spool::program_variable);
  const std::string path = given != nullptr ? given : length > 0 ? text.data() : "";
  text.fill('\0');
  const std::string directory = getcwd(text.data(), text.size()) != nullptr ? text.data() : "";
  std::string build_id;
  dl_iterate_phdr(find_build_id, &build_id);
  if (given != nullptr) build_id = std::getenv(rank_spool::build_id_variable);
  const std::string words = content_of("/proc/self/cmdline");
  const std::size_t name_end = words.find('\0');
  const std::string arguments = name_end == std::string::npos ? "" : words.substr(name_end + 1);
  text_ = path + '\0' + build_id + '\0' + directory + '\0' + arguments;
}

std::uint64_t OwnProgram::hash() const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text_) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

bool OwnProgram::write_to(const char* directory) const {
  const std::string path = std::string(directory) + "/" + rank_spool::program_file;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool is_written =
      write(file, text_.data(), text_.size()) == static_cast<ssize_t>(text_.size());
  return close(file) == 0 && is_written;
}

}  // namespace orrery::on_hardware
