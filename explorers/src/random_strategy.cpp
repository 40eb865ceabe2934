// Random: every answer is drawn by its weight.
//
// Not from a paper.  Unlike a random walk with a generator, each draw is keyed by (seed, run index,
// question), so that a question more or less does not shift the answers to all later ones: a run
// with a recorder and one without can be compared.
#include <memory>
#include <string>

#include "keyed_draw.hpp"
#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

class RandomChooser final : public Chooser {
 public:
  void begin_run(const RunInfo& info) override { draw_ = KeyedDraw(info.seed, info.run_index); }
  Decision choose(const ChoicePoint& point) override { return Decision::take(draw_.index(point)); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return draw_.value(question);
  }

 private:
  KeyedDraw draw_;
};

class RandomStrategy final : public Strategy {
 public:
  [[nodiscard]] std::string text() const override { return "random"; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<RandomChooser>();
  }
};

}  // namespace

std::unique_ptr<Strategy> make_random(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({});
  return std::make_unique<RandomStrategy>();
}

}  // namespace orrery::detail
