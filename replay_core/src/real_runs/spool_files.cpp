#include "spool_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

std::vector<std::string> spool_files(const std::string& directory, std::string_view prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().string().starts_with(prefix)) {
      paths.push_back(entry->path().string());
    }
  }
  if (error) {
    throw UsageError("what was recorded cannot be read: " + error.message(), directory,
                     "record once more, and leave that directory alone meanwhile");
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace orrery::detail
