// Programs that were built without Orrery.
#pragma once

#include <string>

#include "command_runner.hpp"

namespace orrery::test {

/// Builds `app` by itself, with no part of Orrery's.
inline void build_plainly(const WorkingDirectory& here, const std::string& compiler,
                          const std::string& source, const std::string& flags = {}) {
  const bool is_c = compiler == "gcc" || compiler == "clang";
  const std::string file = is_c ? "app.c" : "app.cpp";
  here.write(file, source);
  const std::string language = is_c ? " -std=gnu11" : " -std=c++17";
  build_by(here, compiler + language + " -O2 -g -pthread", file, flags);
}

}  // namespace orrery::test
