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
// Whose bugs need a fault.
Scenario unanswered_request();
Scenario booked_twice();
Scenario unchecked_payload();
Scenario late_heartbeat();
Scenario two_primaries();
Scenario missing_chunk();
Scenario stale_write();
Scenario full_buffers();
Scenario early_reply();
Scenario stamped_writes();

/// What most scenarios recommend: any order of events, and a bound far above what they need.
SimulationOptions any_order_options();
/// The same, with faults (`parse_faults`).
SimulationOptions with_faults(std::string_view faults);
/// For bugs that need dates: without a fault, the messages come as the network has them.
SimulationOptions timed_with_faults(std::string_view faults);

}  // namespace orrery::scenarios
