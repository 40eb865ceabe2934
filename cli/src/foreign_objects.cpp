#include "foreign_objects.hpp"

#include <cstddef>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/mapped_file.hpp>
#include <orrery/program_host/second_image.hpp>

namespace orrery::cli {
namespace {

std::vector<std::string> foreign_objects(const std::string& path) {
  const MappedFile file(path);
  const ElfSections sections(file.bytes());
  const auto content = sections.content(sections.find(foreign_section));
  std::istringstream lines(
      std::string(reinterpret_cast<const char*>(content.data()), content.size()));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

}  // namespace

std::string foreign_objects_text(const FoundProgram& program) {
  if (program.image == nullptr) return {};
  std::vector<std::string> names = foreign_objects(program.info.path);
  if (names.empty()) return {};
  constexpr std::size_t names_max = 5;
  std::string more;
  if (names.size() > names_max) {
    more = fmt::format(" and {} more", names.size() - names_max);
    names.resize(names_max);
  }
  return fmt::format(
      "orrery: not built with orrery cc: {}{}; what they do with memory that threads share is not "
      "seen\n",
      fmt::join(names, ", "), more);
}

}  // namespace orrery::cli
