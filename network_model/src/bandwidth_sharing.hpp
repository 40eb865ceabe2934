// Flows that share links: each gets as much as the others leave it.
//
// Max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 1992, 6.5.2): the
// link with the least bandwidth a flow fixes its flows' rates; what they use is taken off the other
// links; and so on.  Only flows that are joined to a change by shared links are looked at again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

/// Rates are double, dates are not: the same calls give the same dates on every x86-64 build, since
/// only IEEE operations in a fixed order are used.
class BandwidthSharing {
 public:
  using FlowIndex = std::uint32_t;
  static constexpr double no_bound = std::numeric_limits<double>::infinity();

  struct Link {
    double bandwidth_bytes_per_second = 0;
    bool is_fat_pipe = false;
  };
  /// SimGrid's options network/weight-S and network/TCP-gamma.
  struct Weights {
    double bytes_per_link = 0;
    double window_bytes = 0;
  };
  /// A flow of the weighted sharing.
  struct WeightedFlow {
    std::span<const std::uint32_t> route;
    std::span<const std::uint32_t> way_back;  ///< loaded with `backward_load` of the flow's rate
    double bytes = 0;
    double latency_seconds = 0;  ///< of the route
    VirtualTime enters;          ///< when its first byte reaches the links
  };
  static constexpr double backward_load = 0.05;

  explicit BandwidthSharing(std::vector<Link> links);
  BandwidthSharing(std::vector<Link> links, const Weights& weights);
  /// Forgets all flows.  The bandwidths are again those of the constructor.
  void reset();

  /// A flow of so many bytes (more than 0) over these links, which may recur.  It has no rate yet:
  /// that of all flows is computed anew by `solve`, once for all changes of one date.
  FlowIndex start(std::span<const std::uint32_t> route, double bytes, VirtualTime now);
  /// The same if the sharing is weighted.  Until `enters` it is in the heap of ends with that date.
  FlowIndex start(const WeightedFlow& given, VirtualTime now);
  /// Whether the date of its "end" is that of its entry.
  [[nodiscard]] bool is_waiting(FlowIndex flow) const { return flows_[flow].is_waiting; }
  /// Lets a flow that waits onto its links.
  void enter(FlowIndex flow);
  /// Another bandwidth for a link; 0: nothing passes.
  void set_bandwidth(std::uint32_t link, double bytes_per_second);
  /// The latency of a link has grown by so much (weighted sharing only).
  void add_latency(std::uint32_t link, double seconds);
  /// Whether there is something for `solve` to do.
  [[nodiscard]] bool has_changes() const { return !changed_links_.empty() || !new_flows_.empty(); }
  /// True if there are flows, and none will end or enter unless something is done: then all are
  /// looked at again by the next `solve`.
  bool wake_forgotten();
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
    double load = 1;          // of the flow's rate
  };
  // What a solution looks at of every flow comes first: many flows do not fit a cache.
  struct Flow {
    boost::container::small_vector<Hop, 4> hops;
    double rate = 0;  // bytes a second
    double penalty = 1;
    double bound = no_bound;  // plain: of the fat pipes on the way
    std::uint32_t visit = 0;  // the last solution that looked at it
    bool is_fixed = false;
    bool has_moved = false;
    bool is_new = false;
    bool is_waiting = false;
    bool is_on_links = false;
    bool is_forgotten = false;  // on its links, and no bytes are counted
    std::uint32_t heap_place = 0;
    double remaining_bytes = 0;  // at `since`
    VirtualTime since;
    VirtualTime end;
    std::uint64_t order = 0;
    std::vector<std::uint32_t> fat_pipes;  // plain: these are no hops, but a bound
    // Weighted only.
    double round_trip_weight = 0;  // its penalty, once it is on its links
    double bandwidth_bound = no_bound;
    double latency_seconds = 0;
  };
  struct Crossing {
    FlowIndex flow = 0;
    std::uint32_t hop = 0;
  };
  struct LinkState {
    double bandwidth = 0;
    double free = 0;             // during a solution: what is not given away
    double usage = 0;            // weighted: what the flows without a rate take at a level of 1
    double candidate_share = 0;  // during a solution: what the heap says of it
    std::uint32_t unfixed = 0;
    std::uint32_t visit = 0;
    bool has_changed = false;
    bool is_used = false;
    double last_bandwidth = 0;  // that was more than 0
    std::vector<Crossing> crossings;
  };
  struct Candidate {
    double share;
    std::uint32_t link;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.share != b.share ? a.share > b.share : a.link > b.link;  // a heap's top is the least
    }
  };

  FlowIndex new_flow(double bytes, VirtualTime now, VirtualTime end);
  void put_on_links(FlowIndex flow);
  void take_off_links(const Flow& flow);
  void bound_by_fat_pipes(Flow& flow) const;
  void bound_by_window(Flow& flow) const;
  template <typename Change>
  void change_flows_on(std::uint32_t link, Change change);
  void add_load(Flow& flow, std::uint32_t link, double load) const;
  void settle(Flow& flow, VirtualTime now) const;
  void touch(const Flow& flow);
  void tell_moved(FlowIndex flow);
  LinkState& use(std::uint32_t link);
  void visit_link(std::uint32_t link);
  void change_link(std::uint32_t link);
  void collect_touched();
  void collect_usage();
  void order_by_bound();
  void fix(FlowIndex flow, double rate, VirtualTime now);
  std::size_t fix_saturated(VirtualTime now);
  void use_weighted(const Flow& flow, double rate);
  void find_usage_of_fat_pipe(std::uint32_t link);
  void collect_candidates();
  void push_candidate(std::uint32_t link, double share);
  void lower_candidate(std::uint32_t link);
  void refresh_first_candidate();
  [[nodiscard]] bool has_share(const LinkState& state) const;
  [[nodiscard]] double share_of(const LinkState& state) const;
  [[nodiscard]] bool ends_before(FlowIndex a, FlowIndex b) const;
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, FlowIndex flow);

  std::vector<Link> given_;
  Weights weights_;
  bool is_weighted_ = false;
  std::vector<LinkState> links_;
  std::vector<Flow> flows_;
  std::vector<FlowIndex> free_flows_;
  std::vector<FlowIndex> ends_;  // a heap by end
  std::vector<FlowIndex> moved_;
  std::uint64_t next_order_ = 0;
  std::vector<std::uint32_t> used_links_;  // since the last reset
  std::size_t forgotten_ = 0;              // flows

  // Since the last solution.
  std::vector<std::uint32_t> changed_links_;
  std::vector<FlowIndex> new_flows_;

  // Of one solution.
  std::uint32_t visit_ = 0;
  std::vector<std::uint32_t> touched_links_;
  std::vector<FlowIndex> touched_flows_;
  std::vector<FlowIndex> by_bound_;
  std::vector<Candidate> candidates_;
  std::vector<FlowIndex> saturated_;
};

}  // namespace orrery::detail
