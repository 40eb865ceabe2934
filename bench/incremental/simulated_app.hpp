// Mini-apps on a simulated machine, for as long as is wanted.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace orrery::bench {

using Json = nlohmann::json;

/// A mini-app that can go on at a constant size.
struct App {
  const char* name;
  const char* arguments;  ///< with a place for the number of rounds
  int probed_rounds;      ///< so many tell how long one takes
  bool is_own = false;    ///< in `programs` here, not among the mini-apps
};

inline constexpr int app_ranks = 4;
// A message takes so long that a run of seconds has thousands of rounds, not millions.
inline constexpr const char* app_platform = "constant:latency=20ms";

/// One that is built, and where its logs go.
class SimulatedApp {
 public:
  SimulatedApp(const App& app, const std::string& directory);

  [[nodiscard]] const App& app() const { return app_; }
  [[nodiscard]] std::string log() const;
  /// How many rounds take so long.
  [[nodiscard]] int rounds_for(double virtual_seconds) const;
  /// The report of a run that is recorded into `log`.  `flags`: further ones, such as `--method`.
  [[nodiscard]] Json record(int rounds, const std::string& flags) const;
  /// The report of a replay of `log`.
  [[nodiscard]] Json replay(const std::string& flags) const;

 private:
  [[nodiscard]] std::string run(int rounds, const std::string& flags) const;

  const App& app_;
  std::string directory_;
};

/// What is kept, and what it takes to reach an interval, for each length; then whether targets are
/// met.
void print_intervals(const SimulatedApp& app, bool is_quick);
void print_intervals_header();

/// How many records each method keeps of the same short run, in how many bytes.
void print_records(const SimulatedApp& app);
void print_records_header();

}  // namespace orrery::bench
