#include "send_buffering.hpp"

#include <array>

namespace orrery::mpi {

bool SendBuffering::asks_or_waits(const OrreryRuntime& table) {
  if (manner_ == Manner::not_asked) {
    static constexpr std::array answers{"small standard sends are buffered",
                                        "no standard send is buffered",
                                        "some standard sends are buffered, and others are not"};
    // Programs spend their lives where sends are buffered: their other troubles are there.
    static constexpr std::array<std::uint32_t, answers.size()> weights{2, 1, 1};
    const OrreryLeftOpen question{answers.data(), weights.data(), answers.size(), 1};
    manner_ = static_cast<Manner>(table.left_open(&question));
  }
  if (manner_ != Manner::each_as_it_likes) return manner_ == Manner::none_buffers;
  static constexpr std::array answers{"the next standard send of {} is buffered",
                                      "the next standard send of {} is not buffered"};
  const OrreryLeftOpen question{answers.data(), nullptr, answers.size(), 0};
  return table.left_open(&question) != 0;
}

}  // namespace orrery::mpi
