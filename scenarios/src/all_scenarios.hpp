// Each scenario gives its own line of the table; a new one is declared here and listed there.
#pragma once

#include <orrery/scenarios/scenarios.hpp>

namespace orrery::scenarios {

Scenario lost_update();
Scenario dining_philosophers();
Scenario lost_wakeup();
Scenario use_before_initialisation();
Scenario double_checked_initialisation();
Scenario bounded_buffer();
Scenario wildcard_race();
Scenario head_to_head_sends();
Scenario timeout_reply();
Scenario leader_election();
Scenario repeated_request();

/// What most scenarios recommend: any order of events, and a bound far above what they need.
SimulationOptions any_order_options();

}  // namespace orrery::scenarios
