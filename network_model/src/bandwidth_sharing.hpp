// Flows that share links: each gets as much as the others leave it.
//
// Max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 1992, 6.5.2): the
// link with the least bandwidth a flow fixes its flows' rates; what they use is taken off the other
// links; and so on.  Only flows that are joined to a change by shared links are looked at again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

/// Rates are double, dates are not: the same calls give the same dates on every x86-64 build, since
/// only IEEE operations in a fixed order are used.
class BandwidthSharing {
 public:
  using FlowIndex = std::uint32_t;
  static constexpr double no_bound = 0;

  struct Link {
    double bandwidth_bytes_per_second = 0;
    bool is_fat_pipe = false;
  };

  explicit BandwidthSharing(std::vector<Link> links);
  /// Forgets all flows.  The bandwidths are again those of the constructor.
  void reset();

  /// A flow of so many bytes (more than 0) over these links, which may recur.  It has no rate yet:
  /// that of all flows is computed anew by `solve`, once for all changes of one date.
  FlowIndex start(std::span<const std::uint32_t> route, double bytes, VirtualTime now);
  /// Another bandwidth for a link.
  void set_bandwidth(std::uint32_t link, double bytes_per_second);
  /// Takes a flow out: because it has ended, or before its time.
  void remove(FlowIndex flow);
  /// Gives the bandwidth away again, from `now` on, after the changes since the last solution.
  void solve(VirtualTime now);

  /// The flow that ends first; of several, the one that started first.  Only if there is one.
  [[nodiscard]] FlowIndex first_to_end() const { return ends_.front(); }
  [[nodiscard]] bool is_idle() const { return ends_.empty(); }
  [[nodiscard]] VirtualTime end_of(FlowIndex flow) const { return flows_[flow].end; }
  [[nodiscard]] double rate_of(FlowIndex flow) const { return flows_[flow].rate; }
  /// The flows whose ends have moved since the last `forget_moved`, in no special order.
  [[nodiscard]] std::span<const FlowIndex> moved() const { return moved_; }
  void forget_moved();

 private:
  struct Hop {
    std::uint32_t link = 0;
    std::uint32_t place = 0;  // in the link's list
  };
  struct Flow {
    std::vector<Hop> hops;       // shared links only
    double bound = no_bound;     // of the fat pipes on the way
    double remaining_bytes = 0;  // at `since`
    double rate = 0;             // bytes a second
    VirtualTime since;
    VirtualTime end;
    std::uint64_t order = 0;
    std::uint32_t heap_place = 0;
    std::uint32_t visit = 0;  // the last solution that looked at it
    bool is_fixed = false;
    bool has_moved = false;
    bool is_new = false;
  };
  struct Crossing {
    FlowIndex flow = 0;
    std::uint32_t hop = 0;
  };
  struct LinkState {
    double bandwidth = 0;
    double free = 0;  // during a solution: what is not given away
    std::uint32_t unfixed = 0;
    std::uint32_t visit = 0;
    bool has_changed = false;
    std::vector<Crossing> crossings;
  };
  struct Candidate {
    double share;
    std::uint32_t link;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.share != b.share ? a.share > b.share : a.link > b.link;  // a heap's top is the least
    }
  };

  FlowIndex new_flow();
  void settle(Flow& flow, VirtualTime now) const;
  void visit_link(std::uint32_t link);
  void change_link(std::uint32_t link);
  void collect_touched();
  void fix(FlowIndex flow, double rate, VirtualTime now);
  void push_candidate(std::uint32_t link);
  [[nodiscard]] bool ends_before(FlowIndex a, FlowIndex b) const;
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, FlowIndex flow);

  std::vector<Link> given_;
  std::vector<LinkState> links_;
  std::vector<Flow> flows_;
  std::vector<FlowIndex> free_flows_;
  std::vector<FlowIndex> ends_;  // a heap by end
  std::vector<FlowIndex> moved_;
  std::uint64_t next_order_ = 0;

  // Since the last solution.
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowIndex> new_flows_;

  // Of one solution.
  std::uint32_t visit_ = 0;
  std::vector<std::uint32_t> touched_links_;
  std::vector<FlowIndex> touched_flows_;
  std::vector<FlowIndex> by_bound_;
  std::vector<Candidate> candidates_;
};

}  // namespace orrery::detail
