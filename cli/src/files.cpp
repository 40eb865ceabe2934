#include "files.hpp"

#include <filesystem>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {

void check_can_write(const std::string& path, std::string_view where) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string place(where);
  if (fs::is_directory(path, error)) {
    throw UsageError("'" + path + "' is a directory", place, "give the name of a file");
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error)) {
    throw UsageError("there is no directory '" + folder.string() + "'", place,
                     "make it, or write somewhere else");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw UsageError("the directory '" + folder.string() + "' cannot be written to", place,
                     "write somewhere else");
  }
}

}  // namespace orrery::cli
