#include "measured.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "../src/measuring.hpp"

namespace orrery::bench {
namespace {

std::vector<pid_t> processes_of_group(pid_t group) {
  std::vector<pid_t> processes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && getpgid(process) == group) processes.push_back(process);
  }
  return processes;
}

double anonymous_kilobytes(pid_t process) {
  constexpr std::string_view key = "RssAnon:";
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::atof(line.c_str() + key.size());
  }
  return 0;
}

}  // namespace

Measured measured(const std::string& command) {
  const TemporaryDirectory scratch;
  const std::string output = scratch.write("output", "");
  const std::string all = fmt::format("({}) >'{}' 2>&1 </dev/null", command, output);
  const double start = wall_seconds();
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", all.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    throw UsageError("a command of the benchmark could not be started", command);
  }
  const double wall = wall_seconds() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    run_command(fmt::format("tail -c 600 '{}' && false", output));  // throws, with what it said
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {wall, seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

double most_anonymous_megabytes(const std::string& command) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  setpgid(child, child);
  double most_kilobytes = 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    for (const pid_t process : processes_of_group(child)) {
      most_kilobytes = std::max(most_kilobytes, anonymous_kilobytes(process));
    }
    usleep(5'000);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw UsageError("a command of the benchmark failed", command);
  }
  return most_kilobytes * 1024 / 1e6;
}

void Table::print_header(const char* title, const char* peer) {
  fmt::print("\n{}\n  {:50} {:>12} {:>12} {:6} {:>8}\n", title, "", "ours", peer, "", "ratio");
}

bool Table::is_wanted(const std::string& title) const {
  return options_.only.empty() || title.find(options_.only) != std::string::npos;
}

double Table::row(const std::string& title, const char* unit, const Target& target,
                  const std::function<Pair()>& measure) const {
  if (!is_wanted(title)) return 0;
  std::vector<double> ours, peers, ratios;
  try {
    for (int round = 0; round < options_.rounds; ++round) {
      const Pair pair = measure();
      ours.push_back(pair.ours);
      if (pair.peer <= 0) continue;
      peers.push_back(pair.peer);
      ratios.push_back(target.is_inverted ? pair.peer / pair.ours : pair.ours / pair.peer);
    }
  } catch (const std::exception& error) {
    fmt::print("  {:50} failed: {}\n", title, error.what());
    return 0;
  }
  const bool has_peer = !ratios.empty();
  const double judged = has_peer ? median(ratios) : median(ours);
  const bool is_met = target.is_at_least ? judged >= target.bound : judged <= target.bound;
  fmt::print("  {:50} {:>12.5g} {:>12} {:6} {:>8}  {} {:<6.4g} {}\n", title, median(ours),
             has_peer ? fmt::format("{:.5g}", median(peers)) : "", unit,
             has_peer ? fmt::format("x {:.2f}", judged) : "",
             target.is_at_least ? "at least" : "at most ", target.bound, is_met ? "met" : "missed");
  std::fflush(stdout);
  return has_peer ? judged : 0;
}

bool has_smpi() {
  return access("/usr/bin/smpicc", X_OK) == 0 && access("/usr/bin/smpirun", X_OK) == 0;
}

std::string Cluster::platform(int ranks) const {
  std::string hosts;
  for (int i = 0; i < ranks; ++i) hosts += fmt::format("node-{}\n", i);
  directory_.write(fmt::format("hosts-{}", ranks), hosts);
  return directory_.write(fmt::format("cluster-{}.xml", ranks), fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{}" speed="1Gf" bw="125MBps" lat="25us"/>
</platform>
)",
                                                                            ranks - 1));
}

std::string Cluster::ours(int ranks, const std::string& program, const char* checks) const {
  return fmt::format(
      "'{}' run --quiet --step-limit 100000000000 --wall-limit 3600s --mpi-checks {} -n {} "
      "--platform '{}' '{}'",
      ORRERY_BINARY, checks, ranks, platform(ranks), program);
}

std::string Cluster::smpi(int ranks, const std::string& program) const {
  return fmt::format(
      "cd '{}' && smpirun -np {} -platform '{}' -hostfile hosts-{} "
      "--cfg=smpi/simulate-computation:no --log=root.thres:error '{}'",
      directory_.path(), ranks, platform(ranks), ranks, program);
}

std::string build_app(const TemporaryDirectory& directory, const std::string& name,
                      const std::string& side, const std::string& flags) {
  const std::string output = fmt::format("{}/{}-{}", directory.path(), name, side);
  const std::string compilers =
      side == "smpi" ? "CC=smpicc CXX=smpicxx"
                     : fmt::format("CC='{} cc' CXX='{} c++'", ORRERY_BINARY, ORRERY_BINARY);
  run_command(fmt::format("{} '{}/mpi/build.sh' {} '{}' {}", compilers, ORRERY_PROGRAMS, name,
                          output, flags));
  return output;
}

void print_mpi_costs(const MpiBenchOptions& options) {
  const TemporaryDirectory directory;
  const Table table(options);
  if (!has_smpi())
    fmt::print("SimGrid's smpicc and smpirun are not here: rows without a peer only\n");
  for (auto* const part :
       {print_mini_apps, print_rates, print_sizes, print_searches, print_checks}) {
    part(table, directory);
  }
}

}  // namespace orrery::bench
