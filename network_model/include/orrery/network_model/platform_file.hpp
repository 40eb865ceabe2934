// Platforms from SimGrid's files.
#pragma once

#include <memory>
#include <string>

#include <orrery/network_model/platform.hpp>

namespace orrery {

/// Reads a platform file of SimGrid 3.32 (XML, DTD version 4.1) in a process of its own, which then
/// answers for routes.  Throws `UsageError` with SimGrid's own words, file and line, for a file
/// that it does not take, and if the program `orrery_platform` is not where Orrery is installed.
///
///     const auto platform = read_platform("cluster.xml");
///     platform->hosts()[0].name;             // "node-0"
///     platform->route(0, 5).links.size();    // 4
[[nodiscard]] std::shared_ptr<Platform> read_platform(const std::string& path);

}  // namespace orrery
