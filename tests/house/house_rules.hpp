// The rules of the house that a compiler does not check.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "source_text.hpp"

namespace orrery::house {

/// One broken rule.
struct Fault {
  std::string path;
  std::size_t line = 0;  ///< counted from 1; 0 for the file as a whole
  std::string rule;      ///< a short name, such as `upward include`
  std::string what;

  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << fault.path << ':' << fault.line << ": " << fault.rule << ": " << fault.what;
  }
};

/// Folders include only what lies below them, by public headers; public headers include nothing
/// but the standard library and each other.
[[nodiscard]] std::vector<Fault> check_includes(const SourceFile& file);

/// No wall clock, foreign randomness, hash order or address order where runs are decided and
/// written down.  `headers` are the files in which members of `file` may be declared.
[[nodiscard]] std::vector<Fault> check_determinism(const SourceFile& file,
                                                   const std::vector<SourceFile>& headers);

/// Files of at most 500 lines, functions of at most 80, nothing left for later.
[[nodiscard]] std::vector<Fault> check_size_and_leftovers(const SourceFile& file);

/// A file that may do what a rule forbids, and why.
struct Allowance {
  std::string path;
  std::string rule;
  std::string reason;
};
/// What may read the wall clock, and the like.
[[nodiscard]] const std::vector<Allowance>& allowances();

/// Takes out what is allowed; an allowance for a file of `files` that breaks no such rule any
/// more, or for a file that is gone, is a fault of its own.
[[nodiscard]] std::vector<Fault> without_allowed(const std::vector<Fault>& faults,
                                                 const std::vector<Allowance>& allowed);

/// All rules over all files.
[[nodiscard]] std::vector<Fault> check_house(const std::vector<SourceFile>& files);

}  // namespace orrery::house
