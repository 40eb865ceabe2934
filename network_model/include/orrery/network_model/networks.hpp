// Every network model, by name: the one table where a new one is registered.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/network_model.hpp>

namespace orrery {

class PlatformReading;

/// One line of the table of network models.
struct NetworkEntry {
  std::string_view name;         ///< as written on the command line
  std::string_view description;  ///< one line, for `orrery list networks`
  std::string_view options;      ///< the keys that it takes, with their defaults
  /// Makes one.  `default_host_count` counts where the text names no hosts.
  std::unique_ptr<NetworkModel> (*make)(const NameWithOptions& given,
                                        std::uint32_t default_host_count);
};

/// All network models, in the order in which they are listed.
[[nodiscard]] std::span<const NetworkEntry> network_table();

/// Networks that are asked for before they are needed: a platform file is read by another process
/// while the caller does something else.
///
///     NetworkRequest request("cluster.xml:sharing=simgrid,model=CM02", "--platform");
///     ...                                           // what takes a while, too
///     auto factory = request.factory(0);
class NetworkRequest {
 public:
  /// `text` and `where`: as for `network_factory`.  Throws nothing: what is wrong with the text, or
  /// the file that it names, is told by `factory`.
  explicit NetworkRequest(std::string_view text, std::string_view where = {});
  ~NetworkRequest();
  NetworkRequest(const NetworkRequest&) = delete;
  NetworkRequest& operator=(const NetworkRequest&) = delete;

  /// Waits for what is being read; once.  Returns, and throws, what `network_factory` does.
  [[nodiscard]] NetworkFactory factory(std::uint32_t default_host_count);

 private:
  std::string text_;
  std::string where_;
  std::unique_ptr<PlatformReading> reading_;
};

/// The same for many networks: `text` as for `make_network`, or the path of a SimGrid platform file
/// (with a slash, or ending in `.xml`), which is read once and then shared by them all.  A file
/// takes the options `sharing=plain|simgrid`, `model=LV08|CM02` and `crosstraffic=yes|no`; see
/// `FlowModel`.
///
///     auto factory = network_factory("cluster.xml:sharing=simgrid,model=CM02", 0, "--platform");
[[nodiscard]] NetworkFactory network_factory(std::string_view text,
                                             std::uint32_t default_host_count,
                                             std::string_view where = {});

/// Makes the network that `text` names: `NAME[:HOSTS][:key=value,...]`.  Without HOSTS it has
/// `default_host_count` (usually the number of ranks).  `where` is the flag or argument to name in
/// errors.  Throws `UsageError` for unknown names and keys (suggesting the nearest) and bad values.
///
///     auto network = make_network("constant:16:latency=5us,bandwidth=1.25GB/s", 4, "--platform");
///     network->host_count();  // 16
[[nodiscard]] std::unique_ptr<NetworkModel> make_network(std::string_view text,
                                                         std::uint32_t default_host_count,
                                                         std::string_view where = {});

}  // namespace orrery
