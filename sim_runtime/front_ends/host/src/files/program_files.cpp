#include "program_files.hpp"

#include <algorithm>
#include <fstream>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/foreign_program.hpp>
#include <orrery/program_host/taken_process.hpp>

#include "programs/needed_libraries.hpp"

namespace orrery::host {
namespace {

bool has_hooks(const std::filesystem::path& library) {
  std::ifstream stream(library, std::ios::binary);
  std::error_code error;
  std::vector<std::byte> bytes(std::filesystem::file_size(library, error));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const ElfSections sections(bytes);
  return sections.find(".note.orrery") < sections.headers().size();
}

}  // namespace

ProgramFiles::ProgramFiles(const std::filesystem::path& program, ImageKind kind) : kind_(kind) {
  if (taken_process() != nullptr) {
    files_.emplace_back(program, kind, ProgramFile::Role::taken);  // the rest is loaded already
    needs_.emplace_back();
    return;
  }
  add(program,
      is_ordinary_mpi_program(program) ? ProgramFile::Role::ordinary : ProgramFile::Role::program);
  program_ = files_.size() - 1;
  note_needs();
}

// Two libraries may need each other: all are known only after they have been added.
void ProgramFiles::note_needs() {
  for (std::size_t i = needs_.size(); i < files_.size(); ++i) {
    auto& needs = needs_.emplace_back();
    for (std::size_t index = 0; index < files_[i].needed.size(); ++index) {
      const auto place =
          library_place(files_[i].needed[index], files_[i].directories, files_[i].path());
      const std::size_t file = find(place);
      if (file < files_.size()) needs.push_back({index, file});
    }
  }
}

std::size_t ProgramFiles::opened(const std::filesystem::path& library) {
  const std::size_t known = find(library);
  if (known < files_.size()) return known;
  add(library, has_hooks(library) ? ProgramFile::Role::library : ProgramFile::Role::foreign);
  note_needs();
  return files_.size() - 1;
}

std::vector<std::size_t> ProgramFiles::with_needs(std::size_t file) const {
  std::vector<std::size_t> all{file};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Need& need : needs_[all[i]]) {
      if (std::find(all.begin(), all.end(), need.file) == all.end()) all.push_back(need.file);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t ProgramFiles::find(const std::filesystem::path& path) const {
  std::error_code error;
  std::size_t index = 0;
  while (index < files_.size() &&
         (path.empty() || !std::filesystem::equivalent(files_[index].path(), path, error))) {
    ++index;
  }
  return index;
}

void ProgramFiles::add(const std::filesystem::path& path, ProgramFile::Role role) {
  ProgramFile file(path, kind_, role);
  begun_.push_back(path);
  for (const std::string& name : file.needed) {
    const auto place = library_place(name, file.directories, path);
    if (place.empty() || find(place) < files_.size()) continue;
    const bool is_begun = std::any_of(begun_.begin(), begun_.end(), [&](const auto& other) {
      std::error_code error;
      return std::filesystem::equivalent(other, place, error);
    });
    if (is_begun) continue;
    if (has_hooks(place)) {
      add(place, ProgramFile::Role::library);
    } else {
      found_by_place_.push_back(std::filesystem::absolute(place));
    }
  }
  begun_.pop_back();
  files_.push_back(std::move(file));
}

}  // namespace orrery::host
