#include "csv.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::bench {

void write_whole(const std::filesystem::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file) return;
  throw UsageError(std::string("cannot write it: ") + std::strerror(errno), path.string(),
                   "give a place that can be written to");
}

void Csv::add(const std::vector<std::string>& fields) {
  text_ += fmt::format("{}\n", fmt::join(fields, ","));
}

void Csv::write(const std::filesystem::path& path) const {
  write_whole(path, text_);
}

}  // namespace orrery::bench
