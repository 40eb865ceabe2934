// `orrery show LOG --graph OUT.html`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <orrery/replay_core/graph_page.hpp>

#include "json_report.hpp"
#include "output_target.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A page that is being made, of one log or of two beside each other.  It has its name when
/// `finish` has been called; nothing unfinished stays.
class GraphFile {
 public:
  /// Throws `UsageError` if it could not be written.
  explicit GraphFile(std::string path);

  /// Makes a recorded run again, as `with_graph_of` does, and adds it to the page.
  void add(const FoundProgram& program, SavedRun& run, const std::string& log_path);
  /// Throws `UsageError` if it cannot be written.
  void finish();

  /// What is on the page, a line a run.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Json json() const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct Part {
    std::string log_path;
    GraphPageExtent extent;
    bool are_races_marked = true;
    std::unique_ptr<std::FILE, CloseFile> file;
  };

  std::string path_;
  OutputTarget target_;
  std::vector<Part> parts_;
};

}  // namespace orrery::cli
