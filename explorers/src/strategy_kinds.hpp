// The factories that `strategies.cpp` lists, one a strategy's source file.
#pragma once

#include <memory>

#include <orrery/explorers/strategy.hpp>
#include <orrery/network_model/name_with_options.hpp>

namespace orrery::detail {

std::unique_ptr<Strategy> make_random(const NameWithOptions& given);
std::unique_ptr<Strategy> make_round_robin(const NameWithOptions& given);
std::unique_ptr<Strategy> make_pct(const NameWithOptions& given);
std::unique_ptr<Strategy> make_pos(const NameWithOptions& given);
std::unique_ptr<Strategy> make_exhaustive(const NameWithOptions& given);
std::unique_ptr<Strategy> make_around(const NameWithOptions& given);
std::unique_ptr<Strategy> make_replay(const NameWithOptions& given);

}  // namespace orrery::detail
