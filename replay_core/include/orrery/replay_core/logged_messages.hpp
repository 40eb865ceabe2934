// Messages that a run has kept with their contents, as they stand in its log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <orrery/replay_core/interval_id.hpp>
#include <orrery/sim_runtime/outside.hpp>

namespace orrery {

/// Which messages are kept with their contents.
enum class MessageLogging : std::uint8_t {
  dominoes,  ///< those that, sent again, would take an earlier interval of the rank that gets them
  all        ///< "contents based" record: each rank, and each interval, can be executed by itself
};

/// A message whose content was kept: see `MessageLogging`.
struct LoggedMessage : OutsideMessage {
  IntervalId sender;    ///< the interval that has sent it
  IntervalId receiver;  ///< the interval that took or saw it
  friend bool operator==(const LoggedMessage&, const LoggedMessage&) = default;
};

/// All of them, in the order in which they were taken or seen.  There may be millions: they stay
/// encoded until somebody asks for some.  A value type; copies share what they hold.
class LoggedMessages {
 public:
  /// The content of a block `logged_messages`; `where` names it in errors.
  void append(std::vector<std::byte> block, std::string where);
  /// Those that intervals got which `is_wanted` takes.  Throws `UsageError` with the offset for a
  /// block that is not well formed.
  [[nodiscard]] std::vector<LoggedMessage> of(
      const std::function<bool(const IntervalId& receiver)>& is_wanted) const;
  [[nodiscard]] std::vector<LoggedMessage> all() const;
  /// How many there are.  Throws as `of`.
  [[nodiscard]] std::uint64_t count() const;

 private:
  struct Block {
    std::vector<std::byte> content;
    std::string where;
  };
  std::vector<std::shared_ptr<const Block>> blocks_;
};

namespace detail {

/// Blocks for `append`; messages with much content are in parts, so that no block is too large.
[[nodiscard]] std::vector<std::vector<std::byte>> encode_logged_messages(
    const std::vector<LoggedMessage>& messages);

}  // namespace detail
}  // namespace orrery
