// The inputs of a link, and those of the second link in their place.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile_arguments.hpp"
#include "compile_children.hpp"

namespace orrery::cli {

/// Finds for each input what it embeds, as a file in the scratch directory.
class SecondInputs {
 public:
  SecondInputs(const CompileArguments& arguments, ScratchDirectory& scratch);

  /// The words for the second link in the place of this argument.
  [[nodiscard]] std::vector<std::string> words_for(const Argument& argument);
  /// Objects and archives that were not built with `orrery cc`, or in another way than it.
  [[nodiscard]] const std::vector<std::string>& foreign() const { return foreign_; }

 private:
  [[nodiscard]] std::vector<std::string> files_for(const std::string& file);
  [[nodiscard]] std::string archive_named(const std::string& library) const;
  [[nodiscard]] std::vector<std::string> linker_words(const Argument& argument);
  void note_linker_word(std::string_view word);
  void add_foreign(const std::string& name);

  ScratchDirectory* scratch_;
  std::vector<std::filesystem::path> directories_;
  bool is_static_ = false;  ///< `-Wl,-Bstatic`: libraries are archives
  bool drops_next_ = false;
  std::vector<std::string> foreign_;
};

}  // namespace orrery::cli
