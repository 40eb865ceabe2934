// Platforms from SimGrid's files.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include <orrery/network_model/platform.hpp>

namespace orrery {

namespace detail {
class PlatformProcess;
}

/// A platform file that is being read, by a process of its own, while the caller does something
/// else.
class PlatformReading {
 public:
  /// Begins to read `path`.  Throws nothing: what is wrong is told by `finish`.
  explicit PlatformReading(std::string path);
  ~PlatformReading();
  PlatformReading(const PlatformReading&) = delete;
  PlatformReading& operator=(const PlatformReading&) = delete;

  /// Waits for the platform; once.  Throws as `read_platform` does.
  [[nodiscard]] std::shared_ptr<Platform> finish();

 private:
  std::string path_;
  std::exception_ptr mistake_;
  std::unique_ptr<detail::PlatformProcess> process_;
};

/// Reads a platform file of SimGrid 3.32 (XML, DTD version 4.1) in a process of its own, which then
/// answers for routes.  Throws `UsageError` with SimGrid's own words, file and line, for a file
/// that it does not take, and if the program `orrery_platform` is not where Orrery is installed.
///
///     const auto platform = read_platform("cluster.xml");
///     platform->hosts()[0].name;             // "node-0"
///     platform->route(0, 5).links.size();    // 4
[[nodiscard]] std::shared_ptr<Platform> read_platform(const std::string& path);

}  // namespace orrery
