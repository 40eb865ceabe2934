#include "compile_commands.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// The list of `-fsanitize=` without `thread`, whose place our hooks take.
std::string without_thread(std::string_view list) {
  std::string rest;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view one = list.substr(0, end);
    if (one != "thread") rest += (rest.empty() ? "" : ",") + std::string(one);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return rest;
}

bool strips(std::string_view word) {
  return word == "-s" || word == "--strip-all" || word == "-S" || word == "--strip-debug";
}

/// The argument's words, but for those that tell the linker to leave out symbols.
Words without_stripping(const Argument& argument) {
  if (argument.kind == ArgumentKind::option && argument.value == "-s") return {};
  if (argument.kind != ArgumentKind::linker_option) return argument.words;
  if (argument.words.size() == 2) return strips(argument.value) ? Words{} : argument.words;
  constexpr std::string_view prefix = "-Wl";
  std::string kept(prefix);
  std::string_view rest = std::string_view(argument.value).substr(prefix.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(',', 1), rest.size());
    if (!strips(rest.substr(1, end - 1))) kept += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  return kept == prefix ? Words{} : Words{kept};
}

// What gcc writes out instead of a call where it knows a size, so that no tool sees the accesses;
// clang has its calls of them made first.  (What is used in constant expressions, as `strlen` is,
// stays as it is.)
constexpr std::array written_out{"memcpy", "memmove", "memset",  "mempcpy",  "memcmp",  "bcmp",
                                 "bcopy",  "bzero",   "strcpy",  "stpcpy",   "strncpy", "stpncpy",
                                 "strcat", "strncat", "sprintf", "snprintf", "strcmp",  "strncmp"};

// Accesses are told by the place that they were called from: so there is one for each call, and
// what the C++ library has ready-made of std::string is compiled with the program.
void append_for_accesses(Words& words, const CompilePaths& paths) {
  append(words, {"-fno-optimize-sibling-calls", "-include", paths.strings_header.string()});
}

/// `libmpi.so.40` of `/usr/lib/libmpi.so.40`, as `mpi`; empty: it is no shared library.
std::string_view library_name(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  const std::size_t end = file.find(".so");
  const bool is_library = file.starts_with("lib") && end != std::string_view::npos;
  return is_library ? file.substr(3, end - 3) : std::string_view();
}

/// A library of another MPI, as its pkg-config or mpicc names it for what ours has.
bool is_of_other_mpi(const Argument& argument) {
  constexpr std::array<std::string_view, 9> names{
      "mpi", "mpi_cxx", "mpi++", "open-rte", "open-pal", "mpich", "mpichcxx", "mpicxx", "pmpich"};
  std::string_view name;
  if (argument.kind == ArgumentKind::library) name = argument.value;
  if (argument.kind == ArgumentKind::link_input) name = library_name(argument.value);
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool strips_symbols(const CompileArguments& arguments) {
  return std::any_of(arguments.all.begin(), arguments.all.end(), [](const Argument& argument) {
    return without_stripping(argument) != argument.words;
  });
}

bool CommandWriter::links() const {
  const CompileTask task = arguments_->task;
  return task == CompileTask::library || task == CompileTask::program || task == CompileTask::bare;
}

void CommandWriter::add_image_flags(Words& words, Image image) const {
  const bool is_plain = image == Image::plain;
  if (compiler_->is_clang) {
    if (arguments_->excludes_hooks || !arguments_->has_source) return;
    append(words, {"-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0"});
    if (is_plain) {
      append(words, {"-mllvm", "-tsan-instrument-memory-accesses=0", "-mllvm",
                     "-tsan-instrument-memintrinsics=0"});
    } else {
      append(words, {"-mllvm", "-tsan-instrument-read-before-write=1"});
      append_for_accesses(words, *paths_);
    }
    return;
  }
  append(words, {"-imacros", paths_->atomics_header.string()});
  if (is_plain) {
    append(words, {"-fno-inline-atomics"});
    if (!arguments_->excludes_hooks) words.emplace_back("-D__SANITIZE_THREAD__=1");
    return;
  }
  append(words, {"-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0"});
  append_for_accesses(words, *paths_);
  // A load stays where it is told of: else it may come behind a call of a function that only reads,
  // as strlen, which tells of accesses of its own.
  words.emplace_back("-fno-tree-ter");
  append(words, {"-imacros", paths_->memory_header.string()});
  for (const char* const name : written_out) {
    words.push_back(std::string("-fno-builtin-") + name);
  }
  append(words, {"-mmemcpy-strategy=libcall:-1:noalign", "-mmemset-strategy=libcall:-1:noalign"});
  if (links()) words.push_back("-L" + (paths_->library_directory / "no_tsan").string());
}

void CommandWriter::add_front(Words& words, Image image) const {
  append(words, compiler_->words);
  // clang warns of what it has no use for, as of ours where it assembles; with -Werror it fails.
  if (compiler_->is_clang) words.emplace_back("-Qunused-arguments");
  // A frame is touched page by page, so that none steps over the guard below a rank's stack.
  append(words, {"-I" + paths_->include_directory.string(), "-fstack-clash-protection"});
  add_image_flags(words, image);
  if (arguments_->task == CompileTask::program) {
    if (!arguments_->has_build_id) words.emplace_back("-Wl,--build-id=sha1");
    add_place(words);
  }
  // Before all others, where another MPI may be.
  if (links()) words.push_back("-L" + paths_->library_directory.string());
  // Before all others, so that no libatomic takes their place; and whole, since it is for the host
  // to find too.
  if (links() && arguments_->task != CompileTask::bare) {
    append(words,
           {"-Wl,--whole-archive", paths_->hooks_archive.string(), "-Wl,--no-whole-archive"});
  }
}

/// Where the system places a program, if it places nothing at random: there a loader that finds the
/// place free puts it, too, and so a simulated run has it where a recorded real one had it.
void CommandWriter::add_place(Words& words) const {
  const std::string& linker = arguments_->linker;
  const bool is_binutils = linker.empty() || linker == "bfd" || linker == "gold";
  words.push_back(std::string("-Wl,") + (is_binutils ? "-Ttext-segment" : "--image-base") +
                  "=0x555555554000");
}

void CommandWriter::add(Words& words, const Argument& argument) const {
  const std::string& value = argument.value;
  if (is_of_other_mpi(argument)) return append(words, {"-lmpi"});
  constexpr std::string_view sanitize = "-fsanitize=";
  if (argument.kind == ArgumentKind::option && value.starts_with(sanitize)) {
    const std::string rest = without_thread(std::string_view(value).substr(sanitize.size()));
    if (!rest.empty()) words.push_back(std::string(sanitize) + rest);
    return;
  }
  // Of clang an object would be bitcode, which has no place for a second one.
  if (compiler_->is_clang && value.starts_with("-flto")) return;
  append(words, argument.words);
}

/// What stands for functions of the C++ library calls these; where that is linked as an archive, it
/// calls what stands for them.
void CommandWriter::add_cxx_archive(Words& words) const {
  const std::string archive = paths_->cxx_archive.string();
  if (!arguments_->has_own_cxx_library) return words.push_back(archive);
  append(words, {"-Wl,--push-state,-Bstatic,--start-group", archive, "-lstdc++",
                 "-Wl,--end-group,--pop-state"});
}

void CommandWriter::add_back(Words& words) const {
  const bool is_program = arguments_->task == CompileTask::program;
  if (is_program) {
    // A shared object that can also be executed: it starts by itself, and it can be loaded many
    // times.  `-x none`: what follows is not in the language that the user may have named last.
    append(words, {"-x", "none", "-shared", compiler_->start_file, paths_->start_object.string(),
                   "-Wl,-e,_start",
                   // Each copy binds to its own definitions, never to those of whoever loads it.
                   "-Wl,-Bsymbolic", "-Wl,-z,defs",
                   // Programs without a call of MPI start where there is no MPI at all.
                   "-Wl,--push-state,--as-needed", "-lmpi", "-Wl,--pop-state"});
  }
  if (arguments_->task == CompileTask::bare) {
    append(words, {"-x", "none", paths_->hooks_archive.string()});
  }
  if (links()) {
    append(words, {"-x", "none", paths_->blocks_archive.string(),
                   "-Wl,@" + paths_->wrapped_cxx_list.string()});
    add_cxx_archive(words);
  }
  if (is_program && compiler_->is_clang && arguments_->uses_sanitizer) {
    words.emplace_back("-shared-libsan");  // as gcc does for every shared object
    // Not in a place where the loader looks, as gcc's are.
    if (!compiler_->sanitizer_directory.empty()) {
      words.push_back("-Wl,-rpath," + compiler_->sanitizer_directory);
    }
  }
  // Last, so that -fPIE, -fno-pic and the like before it do not count.
  words.emplace_back("-fPIC");
}

Words CommandWriter::first_with_symbols(const std::filesystem::path& output) const {
  Words words;
  add_front(words, Image::plain);
  for (const Argument& argument : arguments_->all) {
    if (argument.kind == ArgumentKind::first_only || argument.kind == ArgumentKind::output)
      continue;
    Argument kept = argument;
    kept.words = without_stripping(argument);
    add(words, kept);
  }
  append(words, {"-o", output.string(), "-w"});
  add_back(words);
  return words;
}

Words CommandWriter::first() const {
  Words words;
  if (arguments_->task == CompileTask::information) {
    append(words, compiler_->words);
    for (const Argument& argument : arguments_->all) append(words, argument.words);
    return words;
  }
  add_front(words, Image::plain);
  for (const Argument& argument : arguments_->all) add(words, argument);
  add_back(words);
  return words;
}

Words CommandWriter::second_object(std::size_t source, const std::filesystem::path& output) const {
  Words words;
  add_front(words, Image::instrumented);
  std::size_t number = 0;
  for (const Argument& argument : arguments_->all) {
    if (argument.kind == ArgumentKind::first_only || argument.kind == ArgumentKind::output)
      continue;
    if (argument.kind == ArgumentKind::source && number++ != source) continue;
    if (argument.kind == ArgumentKind::link_input) continue;
    add(words, argument);
  }
  append(words, {"-o", output.string(), "-w"});
  add_back(words);
  return words;
}

Words CommandWriter::second_link(SecondInputs& inputs, const std::filesystem::path& output) const {
  Words words;
  add_front(words, Image::instrumented);
  for (const Argument& argument : arguments_->all) {
    if (argument.kind == ArgumentKind::first_only || argument.kind == ArgumentKind::output)
      continue;
    Argument replaced = argument;
    replaced.words = without_stripping(argument);  // nobody strips what nobody sees
    if (replaced.words == argument.words) replaced.words = inputs.words_for(argument);
    add(words, replaced);
  }
  append(words, {"-o", output.string(), "-w"});
  add_back(words);
  // Behind the C++ library, where that is linked as an archive.
  if (arguments_->task == CompileTask::program || arguments_->task == CompileTask::library) {
    append(words, {"-x", "none", "-Wl,@" + paths_->wrapped_list.string(),
                   paths_->memory_archive.string()});
  }
  return words;
}

}  // namespace orrery::cli
