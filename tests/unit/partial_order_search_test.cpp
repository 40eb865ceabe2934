// A partial-order method on top of the seam, to show that it needs nothing from the machine.
#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/sim_runtime/orrery.hpp>

using orrery::Alternative;
using orrery::ChoicePoint;
using orrery::Decision;

namespace {

orrery::Operation operation_of(const Alternative& one) {
  orrery::Operation operation;
  operation.kind = one.kind;
  operation.object = one.object;
  return operation;
}

/// Depth-first search with sleep sets (Godefroid, "Using partial orders to improve automatic
/// verification methods", 1990): of runs that differ only in the order of independent steps, one is
/// finished and the others are abandoned.
class SleepSetSearch final : public orrery::Chooser, public orrery::Observer {
 public:
  /// Runs until everything was seen; returns how many runs were finished.
  std::uint64_t search(const orrery::Program& program) {
    orrery::SimulationOptions options;
    options.window = orrery::any_order;
    orrery::Simulation simulation(options);
    orrery::Observer* const observers[] = {this};
    std::uint64_t finished = 0;
    do {
      depth_ = 0;
      sleeping_.clear();
      is_redundant_ = false;
      const orrery::Outcome outcome = simulation.run(program, *this, observers);
      has_deadlock_ |= outcome.status == orrery::Outcome::Status::finding;
      if (outcome.status != orrery::Outcome::Status::abandoned && !is_redundant_) ++finished;
    } while (advance());
    return finished;
  }
  [[nodiscard]] bool has_deadlock() const { return has_deadlock_; }

  Decision choose(const ChoicePoint& point) override {
    if (is_redundant_) return Decision::abandon();
    if (depth_ == path_.size()) {
      path_.push_back({sleeping_, {}, {}});
      const std::size_t first = awake(point, path_.back());
      if (first == point.alternatives.size()) {
        path_.pop_back();
        return Decision::abandon();
      }
      path_.back().chosen = point.alternatives[first];
    }
    Node& node = path_[depth_++];
    if (node.must_move_on) {
      node.must_move_on = false;
      const std::size_t next = awake(point, node);
      if (next == point.alternatives.size()) {
        path_.resize(--depth_);
        return Decision::abandon();
      }
      node.chosen = point.alternatives[next];
    }
    sleeping_ = node.sleeping;
    const auto same = std::find(point.alternatives.begin(), point.alternatives.end(), node.chosen);
    REQUIRE(same != point.alternatives.end());
    return Decision::take(static_cast<std::size_t>(same - point.alternatives.begin()));
  }

  [[nodiscard]] orrery::EventMask interest() const override { return orrery::EventMask::steps(); }
  /// Asked or not: what depends on the step wakes up.
  void on_step(const Alternative& taken) override {
    const auto is_taken = [&](const Alternative& one) {
      return one.id == taken.id && one.kind == taken.kind;
    };
    if (std::any_of(sleeping_.begin(), sleeping_.end(), is_taken)) is_redundant_ = true;
    const auto wakes = [&](const Alternative& one) {
      return one.id.task == taken.id.task || are_dependent(operation_of(one), operation_of(taken));
    };
    sleeping_.erase(std::remove_if(sleeping_.begin(), sleeping_.end(), wakes), sleeping_.end());
  }

 private:
  struct Node {
    std::vector<Alternative> sleeping;
    Alternative chosen;
    bool must_move_on = false;
  };

  static std::size_t awake(const ChoicePoint& point, const Node& node) {
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      const auto& one = point.alternatives[i];
      const auto sleeps = [&](const Alternative& other) {
        return other.id == one.id && other.kind == one.kind;
      };
      if (std::none_of(node.sleeping.begin(), node.sleeping.end(), sleeps)) return i;
    }
    return point.alternatives.size();
  }
  /// What was explored from the last node goes to sleep there.
  bool advance() {
    path_.resize(std::min(path_.size(), depth_));
    if (path_.empty()) return false;
    path_.back().sleeping.push_back(path_.back().chosen);
    path_.back().must_move_on = true;
    return true;
  }

  std::vector<Node> path_;
  std::size_t depth_ = 0;
  std::vector<Alternative> sleeping_;
  bool is_redundant_ = false;
  bool has_deadlock_ = false;
};

orrery::Program lock_in_turn(int threads, int times) {
  return [threads, times](orrery::World& world) {
    orrery::Mutex mutex(world, "mutex");
    std::vector<orrery::Thread> all;
    for (int i = 0; i < threads; ++i) {
      all.push_back(world.thread("worker", [&mutex, times] {
        for (int j = 0; j < times; ++j) {
          mutex.lock();
          mutex.unlock();
        }
      }));
    }
  };
}

}  // namespace

TEST_CASE("a sleep-set search finishes one run for each Mazurkiewicz trace") {
  // The orders in which n threads can take one mutex k times each: (nk)! / (k!)^n.
  CHECK(SleepSetSearch().search(lock_in_turn(2, 1)) == 2);
  CHECK(SleepSetSearch().search(lock_in_turn(3, 1)) == 6);
  CHECK(SleepSetSearch().search(lock_in_turn(2, 2)) == 6);
  CHECK(SleepSetSearch().search(lock_in_turn(2, 3)) == 20);
  CHECK(SleepSetSearch().search(lock_in_turn(3, 2)) == 90);
}

TEST_CASE("a sleep-set search still meets every deadlock") {
  SleepSetSearch search;
  search.search([](orrery::World& world) {
    orrery::Mutex left(world, "left");
    orrery::Mutex right(world, "right");
    auto first = world.thread("first", [&] {
      const std::scoped_lock outer(left);
      const std::scoped_lock inner(right);
    });
    auto second = world.thread("second", [&] {
      const std::scoped_lock outer(right);
      const std::scoped_lock inner(left);
    });
  });
  CHECK(search.has_deadlock());
}
