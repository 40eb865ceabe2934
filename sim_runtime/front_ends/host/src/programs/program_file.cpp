#include "program_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>
#include <orrery_hooks.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>

#include "memory/pages.hpp"
#include "needed_libraries.hpp"

namespace orrery::host {
namespace {

constexpr const char* how_to_build =
    "build it with `orrery cc` or `orrery c++`: compile and link, as with gcc";

std::uintptr_t page_down(std::uintptr_t address) {
  return address & ~(page_bytes - 1);
}

std::size_t padded(std::size_t size) {
  return (size + 3) / 4 * 4;
}

}  // namespace

template <typename T>
T ProgramFile::at(std::size_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
    throw UsageError(fmt::format("the file is damaged at byte {}", offset), path_.string(),
                     "build the program again");
  }
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return value;
}

ProgramFile::ProgramFile(std::filesystem::path path, ImageKind kind, Role role)
    : path_(std::move(path)), role_(role) {
  read();
  check_header();
  read_notes();
  check_notes();
  has_loaded_build_id_ = !build_id_.empty();
  if (role == Role::ordinary) ordinary = make_loadable(bytes_, path_);
  read_sections();
  if (kind == ImageKind::instrumented && role != Role::foreign) take_second_image();
  read_segments();
  make_symbols_ordinary();
}

void ProgramFile::read() {
  std::error_code error;
  const auto status = std::filesystem::status(path_, error);
  if (!std::filesystem::exists(status)) {
    throw UsageError("there is no such program", path_.string(),
                     "give the path of a program, or see `orrery list scenarios`");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw UsageError("this is not a file", path_.string(), "give the path of a program");
  }
  const bool is_library = role_ == Role::library || role_ == Role::foreign;
  if (!is_library && access(path_.c_str(), X_OK) != 0) {
    throw UsageError("the file is not executable", path_.string(),
                     "give the path of a program; `chmod +x` makes a file executable");
  }
  std::ifstream file(path_, std::ios::binary);
  bytes_.resize(std::filesystem::file_size(path_));
  file.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  if (!file) throw UsageError("the file cannot be read", path_.string(), std::strerror(errno));
}

// libtool puts one in the place of a program whose libraries are not installed yet.
void ProgramFile::refuse_script() const {
  constexpr std::size_t head_bytes = 1024;
  const std::string_view head(reinterpret_cast<const char*>(bytes_.data()),
                              std::min(bytes_.size(), head_bytes));
  if (!head.starts_with("#!")) return;
  const bool is_of_libtool = head.find("libtool") != std::string_view::npos;
  throw UsageError(
      "this is a script, whose interpreter is the program", path_.string(),
      is_of_libtool
          ? fmt::format("of libtool's: `libtool --mode=execute orrery run {}`, or give .libs/{} "
                        "with LD_LIBRARY_PATH set as the script does",
                        path_.string(), path_.filename().string())
          : "name a program that `orrery cc` built, with its arguments");
}

void ProgramFile::check_header() const {
  refuse_script();
  if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) {
    throw UsageError("this is not a compiled program", path_.string(), how_to_build);
  }
  const auto header = at<Elf64_Ehdr>(0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    throw UsageError("this program is not for 64-bit x86 processors", path_.string(), how_to_build);
  }
  if (header.e_type == ET_REL) {
    throw UsageError("this is an object file, which has not been linked", path_.string(),
                     "link it: orrery cc " + path_.filename().string() + " -o PROGRAM");
  }
  if (header.e_type == ET_CORE) {
    throw UsageError("this is what a crash has left behind, and no program", path_.string(),
                     "run the program that crashed");
  }
  // An ordinary program is of type EXEC, or a DYN without our note.
  if (header.e_type != ET_DYN) check_notes();
}

void ProgramFile::check_notes() const {
  if (role_ == Role::taken || role_ == Role::ordinary) return;
  if (version_ == 0 && role_ == Role::program) {
    throw UsageError("this program was not built for Orrery", path_.string(),
                     std::string(how_to_build) +
                         "; or run it as it is, if it has threads and no MPI: --threads");
  }
  if (version_ != 0 && version_ != ORRERY_PROGRAM_VERSION) {
    throw UsageError(fmt::format("this program was linked in way {}, and this Orrery knows way {}",
                                 version_, ORRERY_PROGRAM_VERSION),
                     path_.string(), "build it again with the `orrery cc` of this version");
  }
  if (hooks_version_ == ORRERY_HOOKS_VERSION || role_ == Role::foreign) return;
  throw UsageError(fmt::format("its hooks are of version {}, and this Orrery knows version {}",
                               hooks_version_, ORRERY_HOOKS_VERSION),
                   path_.string(), "build it again with the `orrery cc` of this version");
}

// It has the same note of the program; its build id stays that of the whole file.
void ProgramFile::take_second_image() {
  const auto images = images_in(bytes_);
  if (images.size() != 1) {
    throw UsageError("this was built without hooks at its memory accesses", path_.string(),
                     "build it again with `orrery cc`, without -fsanitize=address and -m32; or "
                     "leave out what needs them: --preempt shared or all, and --detect");
  }
  bytes_ = std::vector<std::byte>(images[0].begin(), images[0].end());
  const std::string build_id = std::move(build_id_);
  build_id_.clear();
  read_notes();
  read_sections();
  has_loaded_build_id_ = !build_id_.empty();
  build_id_ = build_id;
}

void ProgramFile::read_sections() {
  const ElfSections sections(bytes_);
  const auto addresses = sections.content(sections.find(guards_section));
  guards.clear();
  for (std::size_t at_byte = 0; at_byte < addresses.size(); at_byte += sizeof(std::uint64_t)) {
    guards.push_back(value_at<std::uint64_t>(addresses, at_byte));
  }
  const std::size_t names = sections.find(foreign_section);
  if (names == sections.headers().size()) return;  // the second image: those of the first stay
  const auto text = sections.content(names);
  std::istringstream lines(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  for (std::string line; std::getline(lines, line);) foreign.push_back(line);
}

void ProgramFile::read_segments() {
  const auto header = at<Elf64_Ehdr>(0);
  std::uintptr_t read_only_end = 0;
  loaded_bytes_ = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    loaded_bytes_ = std::max(loaded_bytes_, segment.p_offset + segment.p_filesz);
    if (segment.p_type == PT_LOAD) {
      if (loaded.end == 0) loaded.begin = page_down(segment.p_vaddr);
      loaded.end = std::max(loaded.end, segment.p_vaddr + segment.p_memsz);
    }
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      code = {segment.p_vaddr, segment.p_vaddr + segment.p_memsz};
    }
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      writable.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz});
    } else if (segment.p_type == PT_GNU_RELRO) {
      read_only_end = page_down(segment.p_vaddr + segment.p_memsz);
    } else if (segment.p_type == PT_DYNAMIC) {
      take_over_constructors(segment.p_offset, segment.p_filesz);
    }
  }
  for (AddressRange& range : writable) {
    if (range.begin < read_only_end) range.begin = std::min(read_only_end, range.end);
  }
  std::erase_if(writable, [](const AddressRange& range) { return range.size() == 0; });
}

void ProgramFile::read_notes() {
  const auto header = at<Elf64_Ehdr>(0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_NOTE) read_notes(segment);
  }
}

void ProgramFile::read_notes(const Elf64_Phdr& segment) {
  std::size_t offset = segment.p_offset;
  const std::size_t end = offset + segment.p_filesz;
  while (offset + sizeof(Elf64_Nhdr) <= end) {
    const auto note = at<Elf64_Nhdr>(offset);
    const std::size_t name_at = offset + sizeof note;
    const std::size_t content_at = name_at + padded(note.n_namesz);
    offset = content_at + padded(note.n_descsz);
    if (offset > bytes_.size() || note.n_namesz == 0) return;
    const std::string_view name(reinterpret_cast<const char*>(&bytes_[name_at]), note.n_namesz - 1);
    if (name == "Orrery" && note.n_type == 1) {
      version_ = at<std::uint32_t>(content_at);
    } else if (name == "Orrery" && note.n_type == ORRERY_HOOKS_NOTE) {
      const auto hooks = at<OrreryHooksNote>(content_at);
      const std::uintptr_t address = segment.p_vaddr + (content_at - segment.p_offset);
      hooks_version_ = hooks.version;
      hooks_slot = address + offsetof(OrreryHooksNote, slot) + hooks.slot;
      room_ = {address + offsetof(OrreryHooksNote, room) + hooks.room, hooks.room_bytes};
    } else if (name == "GNU" && note.n_type == NT_GNU_BUILD_ID) {
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        build_id_ += fmt::format("{:02x}", std::to_integer<unsigned>(bytes_[content_at + i]));
      }
    }
  }
}

void ProgramFile::take_over_constructors(std::size_t offset, std::size_t size) {
  for (const std::size_t end = offset + size; offset < end; offset += sizeof(Elf64_Dyn)) {
    auto entry = at<Elf64_Dyn>(offset);
    switch (entry.d_tag) {
      case DT_INIT: initialiser = entry.d_un.d_ptr; break;
      case DT_FINI: finaliser = entry.d_un.d_ptr; break;
      case DT_INIT_ARRAY: initialisers.begin = entry.d_un.d_ptr; break;
      case DT_FINI_ARRAY: finalisers.begin = entry.d_un.d_ptr; break;
      case DT_INIT_ARRAYSZ: initialisers.end = entry.d_un.d_val; break;
      case DT_FINI_ARRAYSZ: finalisers.end = entry.d_un.d_val; break;
      case DT_STRTAB: strings_ = entry.d_un.d_ptr; continue;
      case DT_NEEDED: needed_at_.push_back(offset); continue;
      default: continue;
    }
    entry.d_tag = ignored_tag;
    std::memcpy(&bytes_[offset], &entry, sizeof entry);
  }
  initialisers.end += initialisers.begin;  // so far the sizes
  finalisers.end += finalisers.begin;
  NeededLibraries libraries = needed_libraries(bytes_);
  needed = std::move(libraries.names);
  directories = std::move(libraries.directories);
  if (needed.size() == needed_at_.size()) return;
  throw UsageError("the file is damaged: it has no sections", path_.string(),
                   "build the program again");
}

std::size_t ProgramFile::offset_of(std::uintptr_t address) const {
  const auto header = at<Elf64_Ehdr>(0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    if (address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return bytes_.size();
}

void ProgramFile::write_copy(const MemoryFile& copy, Extent extent,
                             const std::vector<Renaming>& renamings) const {
  if (extent == Extent::whole || !has_loaded_build_id_ || loaded_bytes_ >= bytes_.size()) {
    copy.write(bytes_.data(), bytes_.size(), 0);
  } else {
    copy.write(bytes_.data(), loaded_bytes_, 0);
    auto header = at<Elf64_Ehdr>(0);  // its sections are not there
    header.e_shoff = 0;
    header.e_shnum = 0;
    header.e_shstrndx = SHN_UNDEF;
    copy.write(reinterpret_cast<const std::byte*>(&header), sizeof header, 0);
  }
  rename(copy, renamings);
}

void ProgramFile::rename(const MemoryFile& copy, const std::vector<Renaming>& renamings) const {
  std::uintptr_t place = room_.address;
  for (const Renaming& renaming : renamings) {
    const std::size_t size = renaming.name.size() + 1;
    const std::size_t offset = offset_of(place);
    if (place + size > room_.address + room_.size || offset + size > bytes_.size()) {
      throw UsageError(fmt::format("it needs more than {} of the project's libraries",
                                   &renaming - renamings.data()),
                       path_.string(), "link some of them statically");
    }
    copy.write(reinterpret_cast<const std::byte*>(renaming.name.c_str()), size, offset);
    auto entry = at<Elf64_Dyn>(needed_at_[renaming.index]);
    entry.d_un.d_val = place - strings_;
    copy.write(reinterpret_cast<const std::byte*>(&entry), sizeof entry,
               needed_at_[renaming.index]);
    place += size;
  }
}

std::string_view ProgramFile::symbol_name(const Elf64_Ehdr& header, std::size_t table,
                                          const Elf64_Sym& symbol) const {
  const auto section = at<Elf64_Shdr>(header.e_shoff + table * sizeof(Elf64_Shdr));
  const std::size_t begin = section.sh_offset + symbol.st_name;
  const std::size_t end = section.sh_offset + section.sh_size;
  if (begin >= end || end > bytes_.size()) return {};
  const std::string_view text(reinterpret_cast<const char*>(&bytes_[begin]), end - begin);
  return text.substr(0, text.find('\0'));
}

void ProgramFile::make_symbols_ordinary() {
  const auto header = at<Elf64_Ehdr>(0);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM) continue;
    const std::size_t end = section.sh_offset + section.sh_size;
    for (std::size_t at_byte = section.sh_offset; at_byte < end; at_byte += sizeof(Elf64_Sym)) {
      auto symbol = at<Elf64_Sym>(at_byte);
      const std::string_view name = symbol_name(header, section.sh_link, symbol);
      counts_blocks |= name == "orrery_count_block";
      uses_mpi |= name.starts_with("MPI_") && symbol.st_shndx == SHN_UNDEF;
      uses_openmp |= name.starts_with("GOMP_") && symbol.st_shndx == SHN_UNDEF;
      if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) continue;
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol.st_info));
      // Bound to the copy's own definition, never to that of another object of the same name.
      symbol.st_other = STV_PROTECTED;
      std::memcpy(&bytes_[at_byte], &symbol, sizeof symbol);
    }
  }
}

}  // namespace orrery::host
