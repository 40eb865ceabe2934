// A chooser for tests of recording and replay.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery::test {

/// Draws every answer by the seed and the question's key, now and then: the rest is undisturbed.
class KeyedChooser final : public Chooser {
 public:
  explicit KeyedChooser(std::uint64_t seed, std::uint64_t one_in = 2)
      : seed_(seed), one_in_(one_in) {}

  Decision choose(const ChoicePoint& point) override {
    const std::uint64_t draw = mixed(point.question);
    if (draw % one_in_ != 0) return Decision::take(point.default_index());
    return Decision::take(static_cast<std::size_t>(draw >> 32U) % point.alternatives.size());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    const std::uint64_t draw = mixed(question.question);
    const std::uint64_t span = question.high - question.low + 1;
    return question.low + (span == 0 ? draw : draw % span);
  }

 private:
  [[nodiscard]] std::uint64_t mixed(std::uint64_t key) const {
    std::uint64_t z = (key + seed_ * 0x9e3779b97f4a7c15U) ^ seed_;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
  }
  std::uint64_t seed_;
  std::uint64_t one_in_;
};

}  // namespace orrery::test
