// Who divides what ranks do into intervals, and hears of every message with its content; and what
// watching costs the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/operation.hpp>

namespace orrery {

/// An operation of a rank's first task, before anything of it has happened.
struct ComingOperation {
  std::int32_t rank = 0;
  OperationId id;
  OperationKind kind = OperationKind::none;
  VirtualTime now;
};

/// A message with all that it carries; valid during the call.
struct CarriedMessage {
  OperationId send;
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< ranks of the whole job
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint64_t note = 0;
  bool is_call = false;        ///< answered where it is delivered; nobody takes it
  bool is_rendezvous = false;  ///< its data come after the match
  std::span<const std::byte> content;
  /// What the note stands for, where a front end can say so in bytes.
  std::span<const std::byte> note_content;
};

/// Asked at the operations of ranks' first tasks, and told of messages.  Calls come on the stack of
/// the task that acts; an image of the process that is saved in `before_operation` goes on from
/// there.  One that is not set costs a load and a branch.
class Checkpointer {
 public:
  virtual ~Checkpointer() = default;
  /// Once for each, polls as well; not for what a sleeping task does when it wakes, nor for the
  /// first one of a task, its start.
  virtual void before_operation(const ComingOperation& coming) = 0;
  /// The first task of the rank has ended, with this operation.
  virtual void rank_ended(std::int32_t rank, OperationId last) = 0;
  /// The program asks for a checkpoint at the rank's next operation (`orrery_checkpoint`).
  virtual void checkpoint_asked(std::int32_t rank) = 0;
  /// The rank is about to do what others will see without a message; in words, with the place in
  /// the program: "makes a window (one-sided communication) at app.c:7 in main".
  virtual void goes_beyond_messages(std::int32_t rank, const std::string& what) = 0;
  virtual void sent(const CarriedMessage& message) = 0;
  /// A receive (the operation that began it) has got it for good, or a probe has seen it.
  virtual void reached(const CarriedMessage& message, OperationId receiver) = 0;

  /// How much time of the rank's processor has been taken, since this was asked last, for messages
  /// that the rank has got or seen: the operation that ends just now, a receive, a probe, or a wait
  /// or test that found something, takes so much longer.  It is no operation of its own, so that
  /// those of the rank have the numbers that they would have.
  [[nodiscard]] virtual VirtualDuration time_taken(std::int32_t /*rank*/) { return {}; }
  /// The same when the rank is done (`MPI_Finalize`, or the end of its main function); once.
  [[nodiscard]] virtual VirtualDuration time_taken_at_end(std::int32_t /*rank*/) { return {}; }
};

}  // namespace orrery
