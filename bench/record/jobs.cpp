#include "jobs.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace orrery::bench {
namespace {

// Of a page: beyond that the layout repeats itself.
constexpr std::size_t padding_max = 4096;

}  // namespace

Jobs::Jobs() {
  std::filesystem::create_directory(orders());
  // A library, so that it stands between a recorder that is preloaded and MPI.
  run_command(fmt::format("mpicc -O2 -fPIC -shared '{}/end_watch.c' -o '{}/libend_watch.so' -ldl",
                          ORRERY_OWN_PROGRAMS, directory_.path()));
  run_command(
      fmt::format("mpicc -O2 '{0}/receives.c' -o '{1}' -L'{2}' -lend_watch "
                  "-Wl,-rpath,'{2}'",
                  ORRERY_OWN_PROGRAMS, receives(), directory_.path()));
  run_command(
      fmt::format("mpicxx -std=c++20 -O2 -DOMPI_SKIP_MPICXX -fPIC -shared "
                  "'{}/orders.cpp' -o '{}/liborders.so'",
                  ORRERY_OWN_PROGRAMS, directory_.path()));
}

std::string Jobs::mini_app(const std::string& name) const {
  std::string program = directory_.path() + "/" + name;
  run_command(fmt::format("'{}/mpi/build.sh' {} '{}'", ORRERY_PROGRAMS, name, program));
  return program;
}

std::string Jobs::mpirun(int ranks, const std::string& flags) const {
  const std::string padding(layouts_() % padding_max, 'x');
  return fmt::format(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PADDING={} mpirun "
      "--oversubscribe {}-n {}",
      padding, flags, ranks);
}

std::string Jobs::bare(int ranks, const std::string& program) const {
  return fmt::format("{} {}", mpirun(ranks, ""), program);
}

std::string Jobs::recorded(int ranks, const std::string& program) const {
  return fmt::format("'{}' record --quiet -o '{}' {}", ORRERY_BINARY, log(), bare(ranks, program));
}

std::string Jobs::ordered(int ranks, const std::string& program) const {
  // The ranks alone: the launcher has no MPI library that could be asked for more.
  const std::string flags = fmt::format(
      "-x 'LD_PRELOAD={}/liborders.so' -x 'ORDERS_PREFIX={}/rank' ", directory_.path(), orders());
  return fmt::format("{} {}", mpirun(ranks, flags), program);
}

std::uintmax_t Jobs::recorded_bytes() const {
  return std::filesystem::file_size(log());
}

std::uintmax_t Jobs::ordered_bytes() const {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(orders())) bytes += file.file_size();
  return bytes;
}

}  // namespace orrery::bench
