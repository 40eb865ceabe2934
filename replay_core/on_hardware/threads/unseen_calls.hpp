// Calls that a replay cannot make again.
#pragma once

namespace orrery::on_hardware {

/// Notes the system's call of that number, if it is one and returns to the program.
void note_unseen_call(long number, const void* caller);

}  // namespace orrery::on_hardware
