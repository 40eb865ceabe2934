#include "compile_inputs.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/second_image.hpp>

#include "compile_archives.hpp"

namespace orrery::cli {
namespace {

// Files besides the output that the first link writes.
constexpr std::array<std::string_view, 3> first_link_only{"-Map", "--Map", "--dependency-file"};

std::string written(const std::filesystem::path& path, std::span<const std::byte> content) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  return path.string();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

bool is_start_file(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("crt") || name.ends_with("crt1.o") || name == "program_start.o";
}

// Of what a user has: the shared libraries and scripts of a link are neither here nor there.
bool is_object(std::span<const std::byte> file) {
  constexpr std::size_t type_at = 16;
  constexpr std::byte relocatable{1};
  return is_elf(file) && file[type_at] == relocatable;
}

}  // namespace

SecondInputs::SecondInputs(const CompileArguments& arguments, ScratchDirectory& scratch)
    : scratch_(&scratch) {
  for (const Argument& argument : arguments.all) {
    if (argument.kind == ArgumentKind::library_directory) directories_.emplace_back(argument.value);
  }
}

std::vector<std::string> SecondInputs::words_for(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::link_input: return files_for(argument.value);
    case ArgumentKind::linker_option: return linker_words(argument);
    case ArgumentKind::library: {
      const std::string archive = archive_named(argument.value);
      if (archive.empty()) return argument.words;
      const auto files = files_for(archive);
      return files == std::vector<std::string>{archive} ? argument.words : files;
    }
    default: return argument.words;
  }
}

std::vector<std::string> SecondInputs::files_for(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {file};
  const Bytes bytes = read_bytes(file);
  if (is_archive(bytes)) {
    const auto second = second_archive(file, bytes);
    if (!second) {
      add_foreign(file);
      return {file};
    }
    for (const std::string& member : second->foreign) add_foreign(file + "(" + member + ")");
    return {written(scratch_->another(file), second->content)};
  }
  if (!is_object(bytes)) return {file};
  std::vector<std::string> files;
  for (const auto image : images_in(bytes)) {
    files.push_back(written(scratch_->another(file), image));
  }
  if (!files.empty()) return files;
  if (!is_start_file(file)) add_foreign(file);
  return {file};
}

std::string SecondInputs::archive_named(const std::string& library) const {
  const bool has_file_name = library.starts_with(':');
  for (const auto& directory : directories_) {
    if (has_file_name) {
      const auto file = directory / library.substr(1);
      if (std::filesystem::exists(file)) return file.string();
      continue;
    }
    if (!is_static_ && std::filesystem::exists(directory / ("lib" + library + ".so"))) return {};
    const auto archive = directory / ("lib" + library + ".a");
    if (std::filesystem::exists(archive)) return archive.string();
  }
  return {};
}

void SecondInputs::note_linker_word(std::string_view word) {
  if (word == "-Bstatic" || word == "-dn" || word == "-non_shared") is_static_ = true;
  if (word == "-Bdynamic" || word == "-dy" || word == "-call_shared") is_static_ = false;
}

std::vector<std::string> SecondInputs::linker_words(const Argument& argument) {
  const bool is_list = argument.words.size() == 1;
  std::string text;
  for (const std::string& word :
       is_list ? split(argument.value.substr(4)) : std::vector<std::string>{argument.value}) {
    note_linker_word(word);
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool is_dropped =
        std::find(first_link_only.begin(), first_link_only.end(), name) != first_link_only.end();
    if (is_dropped || drops_next_) {
      drops_next_ = is_dropped && name.size() == word.size();
      continue;
    }
    const auto files = word.starts_with('-') ? std::vector<std::string>{word} : files_for(word);
    for (const std::string& file : files) text += "," + file;
  }
  if (text.empty()) return {};
  return {"-Wl" + text};
}

void SecondInputs::add_foreign(const std::string& name) {
  if (std::find(foreign_.begin(), foreign_.end(), name) == foreign_.end()) {
    foreign_.push_back(name);
  }
}

}  // namespace orrery::cli
