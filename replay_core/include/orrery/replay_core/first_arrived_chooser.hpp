// A chooser that gives each receive what came first.
#pragma once

#include <orrery/sim_runtime/forwarding_chooser.hpp>

namespace orrery {

/// Of several messages that fit, a receive or probe takes the one that has come first, as message
/// libraries do; everything else is for another chooser, which must outlive this one.
class FirstArrivedChooser final : public ForwardingChooser {
 public:
  using ForwardingChooser::ForwardingChooser;

  Decision choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::message) return Decision::take(point.default_index());
    return ForwardingChooser::choose(point);
  }
};

}  // namespace orrery
