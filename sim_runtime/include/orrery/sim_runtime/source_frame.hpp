// One function at one line.
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

/// One function at one line, as debug information names it.
struct SourceFrame {
  std::string file;        ///< as the compiler was given it; empty if not known
  std::uint32_t line = 0;  ///< 0 if not known
  /// Demangled, without parameters; where no symbol is known, the place in the file that was
  /// loaded, `app+0x1234`; empty if the address lies in no file.
  std::string function;
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

}  // namespace orrery
