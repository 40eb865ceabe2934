// Which intervals of other ranks an interval needs, and which messages are logged instead: Zeng's
// Algorithms 2 and 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <orrery/replay_core/intervals.hpp>

namespace orrery::detail {

/// What becomes of a message when it is taken or seen.
enum class Reached : std::uint8_t {
  in_image,   ///< it is in the image of the receiving interval, or was kept before
  dependent,  ///< the receiving interval needs the sending one
  logged      ///< its content is kept, and the sending interval is not needed
};

/// Follows the messages of all ranks.  What would travel on them is held here, and its size
/// counted.
///
/// A message that is on its way when its receiver saves an image is in that image, so it makes no
/// interval depend on another (the paper counts such a message to the interval that receives it).
class IntervalDependences {
 public:
  struct Counts {
    std::uint64_t messages = 0;  ///< from one rank to another
    std::uint64_t piggybacked_bytes = 0;
  };

  explicit IntervalDependences(MessageLogging logging = MessageLogging::dominoes)
      : logging_(logging) {}

  /// The rank's next interval begins with a checkpoint: what is on its way to it is in the image.
  void begin_interval(const IntervalId& id);
  void sent(OperationId send, std::int32_t source, std::int32_t destination);
  Reached reached(OperationId send, std::int32_t rank);

  /// The interval of that rank that goes on.
  [[nodiscard]] IntervalId current(std::int32_t rank) const;
  /// Who has sent that message, which `reached` was last told of; after that call only.
  [[nodiscard]] const IntervalId& last_sender() const { return last_sender_; }
  /// RS of the rank's interval, without itself; ascending.
  [[nodiscard]] std::vector<IntervalId> needed(std::int32_t rank) const;
  [[nodiscard]] std::vector<TakenFrom> taken(std::int32_t rank) const;
  /// Sent to the rank in its interval, neither taken nor seen; ascending.
  [[nodiscard]] std::vector<OperationId> on_their_way(std::int32_t rank) const;
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};  ///< the null of the paper: infinity

  /// What an interval goes by, and what travels on its messages.
  struct Knowledge {
    std::vector<std::uint64_t> earliest;  ///< IDV, by rank
    std::vector<IntervalId> needed;       ///< RS, with itself; ascending
  };
  struct OnItsWay {
    IntervalId sender;
    std::shared_ptr<const Knowledge> knowledge;
    std::uint64_t order = 0;  ///< among all messages
  };
  struct Taken {
    TakenFrom from;
    std::uint64_t last_order = 0;
  };
  struct Rank {
    IntervalId interval;
    std::shared_ptr<const Knowledge> knowledge;
    std::map<OperationId, OnItsWay> coming;  ///< by send
    /// The senders of what is in its image; only where all messages are logged.
    std::map<OperationId, IntervalId> in_image;
    std::map<IntervalId, Taken> taken;
    std::vector<std::shared_ptr<const Knowledge>> last_sent;  ///< by destination
  };

  Rank& at(std::int32_t rank);
  Reached reached_in_image(OperationId send, Rank& receiver);
  void merge(Rank& receiver, const Knowledge& other);
  static std::uint64_t bytes_between(const Knowledge* last, const Knowledge& now);

  MessageLogging logging_;
  std::vector<Rank> ranks_;
  IntervalId last_sender_;
  Counts counts_;
};

}  // namespace orrery::detail
