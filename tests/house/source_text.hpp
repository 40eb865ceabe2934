// C++ text as the house rules look at it: without comments and literals, cut into functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::house {

/// A file of ours: its path from the root of the checkout, and what it says.
struct SourceFile {
  std::string path;
  std::string text;
};

/// The text with every comment, string and character literal blanked out; lines stay where they
/// were.  `#include` lines keep what they include.
[[nodiscard]] std::string without_literals(std::string_view text);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// From the line on which a function's name stands to its closing brace (counted from 1).
struct FunctionSpan {
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};
/// The functions with bodies in `code` (what `without_literals` gave); lambdas and local classes
/// belong to the function around them.
[[nodiscard]] std::vector<FunctionSpan> functions_of(std::string_view code);

}  // namespace orrery::house
