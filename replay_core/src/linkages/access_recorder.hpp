// The recorders of `leap`, `global-writes` and `stride`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

std::unique_ptr<Recorder> make_leap_recorder();
std::unique_ptr<Recorder> make_global_writes_recorder(const NameWithOptions& given);
std::unique_ptr<Recorder> make_stride_recorder(const NameWithOptions& given);

}  // namespace orrery::detail
