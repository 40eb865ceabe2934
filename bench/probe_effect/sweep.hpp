// The probe effect of recorders over message rates.
#pragma once

#include <string>
#include <vector>

namespace orrery::bench {

/// A recorder, as `--probe-effect` names it, and as people do.
struct ProbedRecorder {
  const char* option;
  const char* name;
};

/// What is measured, in the order in which it is printed and drawn.
[[nodiscard]] const std::vector<ProbedRecorder>& probed_recorders();

/// What one of them did to a run.
struct Probed {
  double time_added = 0;  ///< of the virtual time of the run without, a fraction
  double host_ns = 0;     ///< of hosts' processors, for each message
  double cycles = 0;      ///< of cards or ports, for each message
  double reordered = 0;   ///< of the messages, a fraction
  double changed = 0;     ///< of the receives: they got another message
};

/// A run without a recorder, and the others beside it.
struct RatePoint {
  double asked_per_second = 0;
  double messages_per_second = 0;  ///< that came to the receiver
  std::vector<Probed> probed;
};

/// One program on one network, from 1,000 messages a second to saturation.
struct Sweep {
  std::string network;
  std::string program;  ///< `stream` or `farm`
  std::vector<RatePoint> points;
};

/// Runs it.  `binary`: the program `rates`, built.
[[nodiscard]] Sweep sweep(const std::string& binary, const std::string& network,
                          const std::string& program, bool is_quick);

/// Two charts side by side: time added, and messages that came otherwise.
[[nodiscard]] std::string picture(const Sweep& sweep);

}  // namespace orrery::bench
