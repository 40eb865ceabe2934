#include "simulation.hpp"

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace nbody {
namespace {

class Team {
 public:
  Team(Space& space, int steps, int threads)
      : space_(space), steps_(steps), threads_(threads), phase_(threads) {}

  long run() {
    std::vector<std::thread> members;
    for (int i = 1; i < threads_; ++i) members.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& member : members) member.join();
    return pairs_;
  }

 private:
  void work(int member) {
    const int first = space_.cells() * member / threads_;
    const int last = space_.cells() * (member + 1) / threads_;
    long pairs = 0;
    for (int step = 1; step <= steps_; ++step) {
      for (int cell = first; cell < last; ++cell) {
        for (const int other : space_.near_half(cell)) pairs += space_.interact(cell, other);
      }
      phase_.arrive_and_wait();
      for (int cell = first; cell < last; ++cell) space_.move(cell, step);
      phase_.arrive_and_wait();
    }
    const std::lock_guard<std::mutex> lock(pairs_mutex_);
    pairs_ += pairs;
  }

  Space& space_;
  int steps_;
  int threads_;
  std::barrier<> phase_;
  std::mutex pairs_mutex_;
  long pairs_ = 0;
};

}  // namespace

long simulate(Space& space, int steps, int threads) {
  return Team(space, steps, threads).run();
}

}  // namespace nbody
