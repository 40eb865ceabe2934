// What the arguments of a compiler mean, as far as `orrery cc` must know.
#pragma once

#include <string>
#include <vector>

#include "compile.hpp"

namespace orrery::cli {

enum class ArgumentKind {
  option,             ///< what this table does not tell apart
  first_only,         ///< asks for a further file, which the second compilation must not write
  source,             ///< to be compiled or assembled
  header,             ///< to be precompiled
  link_input,         ///< object, archive, shared library, linker script
  library,            ///< `-lNAME`; value: NAME
  library_directory,  ///< `-LDIRECTORY`
  linker_option,      ///< `-Wl,...` and `-Xlinker`
  output,             ///< `-o FILE`
  language,           ///< `-x LANGUAGE`
  stop,               ///< `-c`, `-S`, `-E`, ...
};

struct Argument {
  ArgumentKind kind = ArgumentKind::option;
  std::vector<std::string> words;  ///< as they were given
  std::string value;               ///< the file, name or directory
};

/// A command line, read.  Response files are part of it.
struct CompileArguments {
  std::vector<Argument> all;
  CompileTask task = CompileTask::information;
  std::string output;       ///< of `-o`; empty: none was given
  bool has_source = false;  ///< or a header: something is compiled
  bool has_build_id = false;
  bool is_static = false;
  bool has_own_cxx_library = false;  ///< `-static-libstdc++`: it becomes a part of what is linked
  std::string linker;                ///< of `-fuse-ld=`; empty: the compiler's own
  bool uses_sanitizer = false;       ///< one that keeps our hooks out, or has a runtime
  bool excludes_hooks = false;       ///< AddressSanitizer and the like: no second image
  std::string static_sanitizer;      ///< the flag that asks for it
  std::vector<std::string> sources;  ///< of `source`, in order
};

[[nodiscard]] CompileArguments parse_arguments(const std::vector<std::string>& words);

/// As the compiler reads a response file: words between white space, with quotes and backslashes.
[[nodiscard]] std::vector<std::string> words_of_response(std::string_view text);

/// A text that a response file can hold for these words.
[[nodiscard]] std::string response_of(const std::vector<std::string>& words);

}  // namespace orrery::cli
