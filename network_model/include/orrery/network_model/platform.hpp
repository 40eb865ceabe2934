// What a cluster is made of: hosts, links, and the links between any two hosts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// What happens when several flows cross one link.
enum class LinkSharing : std::uint8_t {
  shared,    ///< they share its bandwidth
  fat_pipe,  ///< each gets all of it: a backbone that is never the bottleneck
};

/// A link, in one direction if the platform makes a difference.
struct PlatformLink {
  std::string name;
  double bandwidth_bytes_per_second = 0;
  VirtualDuration latency;
  LinkSharing sharing = LinkSharing::shared;
  std::map<std::string, std::string> properties;
};

/// A machine of the cluster.
struct PlatformHost {
  std::string name;
  double speed_flops = 0;  ///< floating-point operations a second, of one core; 0: as by default
  std::map<std::string, std::string> properties;
  std::uint32_t cores = 1;
};

/// How to get from one host to another.
struct PlatformRoute {
  std::vector<std::uint32_t> links;  ///< indices into `Platform::links()`; the same one may recur
  VirtualDuration latency;           ///< of the whole way, at the start
  double latency_seconds = 0;        ///< the same as SimGrid adds it up, for comparisons to the bit
};

/// A link that changes, as a platform with profiles says.
struct LinkChange {
  VirtualTime date;
  std::uint32_t link = 0;
  double bandwidth_bytes_per_second = 0;   ///< from now on; 0: nothing passes for a while
  std::optional<VirtualDuration> latency;  ///< from now on; if given, the bandwidth stays
};

/// A cluster.  Hosts and links are numbered from 0 and do not change; routes are answered as they
/// are asked for, since there may be too many to keep.  Not thread-safe; a forked process may go on
/// using its copy.
class Platform {
 public:
  Platform() = default;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  virtual ~Platform() = default;

  [[nodiscard]] virtual std::span<const PlatformHost> hosts() const = 0;
  [[nodiscard]] virtual std::span<const PlatformLink> links() const = 0;
  /// The way from one host to another, or to itself.  Valid until the next call.  Throws
  /// `UsageError` naming both hosts if there is none.
  [[nodiscard]] virtual const PlatformRoute& route(std::uint32_t source,
                                                   std::uint32_t destination) = 0;
  /// All changes of links from the start up to and with `date`, in the order of their dates.  Valid
  /// until the next call.
  [[nodiscard]] virtual std::span<const LinkChange> changes_until(VirtualTime date) {
    static_cast<void>(date);
    return {};
  }
  /// May there be any such change?  If not, a way is never faster than it is at first.
  [[nodiscard]] virtual bool links_change() const { return false; }
};

}  // namespace orrery
