// The recorder `lamport-order`: time stamps of synchronisation operations.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// ROLT, as `LamportRecords` says; `objects=yes` keeps enough for the rule by objects.
std::unique_ptr<Recorder> make_lamport_recorder(const NameWithOptions& given);

}  // namespace orrery::detail
