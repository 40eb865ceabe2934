// What goes to standard error, for tests that look at it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace orrery::test {

/// What `body` writes to standard error, by way of that file.
template <typename Body>
std::string errors_of(const std::filesystem::path& file, const Body& body) {
  std::fflush(stderr);
  const int former = dup(2);
  const int target = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  dup2(target, 2);
  close(target);
  body();
  std::fflush(stderr);
  dup2(former, 2);
  close(former);
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace orrery::test
