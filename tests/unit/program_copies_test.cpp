// What the copies of a program have of its file, and who finds its names and lines there.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <link.h>

#include <orrery/program_host/program_image.hpp>
#include <orrery/sim_runtime/symbolizer.hpp>

#include "program_builder.hpp"

namespace {

using orrery::ProgramImage;
using orrery::ProgramImageOptions;
using orrery::Symbolizer;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

constexpr std::uint32_t ranks = 3;

/// A file that the loader took a copy of the program from.
struct Copy {
  std::uintmax_t bytes = 0;
  std::uintptr_t function = 0;  ///< where `exported` is in it
};

/// In the order in which they were loaded.
std::vector<Copy> loaded_copies() {
  std::vector<std::string> names;
  const auto note = [](dl_phdr_info* info, std::size_t, void* argument) {
    const std::string name = info->dlpi_name;
    if (name.starts_with("/proc/"))
      static_cast<std::vector<std::string>*>(argument)->push_back(name);
    return 0;
  };
  dl_iterate_phdr(note, &names);
  std::vector<Copy> copies;
  for (const std::string& name : names) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    const auto function = reinterpret_cast<std::uintptr_t>(dlsym(handle, "exported"));
    copies.push_back({std::filesystem::file_size(name), function});
    dlclose(handle);
  }
  return copies;
}

std::filesystem::path build(const TemporaryDirectory& directory,
                            const std::vector<std::string>& flags) {
  return build_program(directory,
                       "int counter;\n"
                       "__attribute__((visibility(\"default\"))) int exported(int value) {\n"
                       "  return counter += value;\n"
                       "}\n"
                       "int main(void) { return exported(0); }\n",
                       orrery::cli::Language::c, flags);
}

ProgramImageOptions options(bool is_debugged = false) {
  return {.front_end = orrery::front_end_beside(ORRERY_BINARY),
          .kind = orrery::ImageKind::plain,
          .is_debugged = is_debugged,
          .stays_loaded = false};
}

}  // namespace

TEST_CASE("the first copy of a program has names and lines, and those of all are read there") {
  const TemporaryDirectory directory;
  const ProgramImage image(build(directory, {"-g", "-rdynamic"}), ranks, options());
  const std::vector<Copy> copies = loaded_copies();
  REQUIRE(copies.size() == ranks);
  CHECK(copies[0].bytes == std::filesystem::file_size(image.path()));
  CHECK(copies[1].bytes < copies[0].bytes / 2);
  CHECK(copies[2].bytes == copies[1].bytes);
  // The last one first: which copy is asked for first must not matter.
  Symbolizer symbolizer;
  for (std::size_t rank = ranks; rank-- > 0;) {
    REQUIRE(copies[rank].function != 0);
    const auto& place = symbolizer.resolve_exact(copies[rank].function);
    CHECK(place.frames.front().function == "exported");
    CHECK(place.frames.front().file.ends_with("program.c"));
    CHECK(place.frames.front().line == 2);
  }
}

TEST_CASE("for a debugger, and where nothing tells whose copies they are, all are whole") {
  const TemporaryDirectory directory;
  const auto check_whole = [](const ProgramImage& image) {
    const std::vector<Copy> copies = loaded_copies();
    REQUIRE(copies.size() == ranks);
    for (const Copy& copy : copies) CHECK(copy.bytes == std::filesystem::file_size(image.path()));
  };
  check_whole(ProgramImage(build(directory, {"-g"}), ranks, options(true)));
  check_whole(ProgramImage(build(directory, {"-g", "-Wl,--build-id=none"}), ranks, options()));
}
