#include "files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

namespace orrery::cli {

void check_can_write(const std::string& path, std::string_view where) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string place(where);
  if (fs::is_directory(path, error)) {
    throw UsageError("'" + path + "' is a directory", place, "give the name of a file");
  }
  check_can_be_replaced(path, place);
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

std::string read_whole_file(const std::string& path, std::string_view where) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  // A directory opens, and cannot be read; of an empty file nothing is taken, which is no mistake.
  std::error_code error;
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path, error)) {
    throw UsageError("cannot be read: " + path, std::string(where), "name a file that is there");
  }
  return content.str();
}

std::string path_beside(const std::string& path, std::string_view ending) {
  const std::filesystem::path whole(path);
  const std::string name = whole.stem().string() + std::string(ending);
  return (whole.parent_path() / (name + whole.extension().string())).string();
}

std::string place_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  const char* const directories = std::getenv("PATH");
  std::istringstream list(directories != nullptr ? directories : "");
  for (std::string directory; std::getline(list, directory, ':');) {
    const std::filesystem::path place = std::filesystem::path(directory) / command;
    if (access(place.c_str(), X_OK) == 0) return place.string();
  }
  return {};
}

}  // namespace orrery::cli
