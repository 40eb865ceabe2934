// What the receiver's side should know of each message under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "request.hpp"
#include "types/datatypes.hpp"

namespace orrery::mpi {

/// How a message was sent.  Texts are constants of the library, never of a program.
struct SentMessage {
  std::int32_t rank = 0;  ///< of the sender, in the job
  SendKind kind = SendKind::standard;
  std::uintptr_t pc = 0;
  Signature signature;
  bool is_packed = false;  ///< as MPI_PACKED, which fits any type
  const char* type = "";
  std::size_t count = 0;
  std::size_t buffer_bytes = 0;  ///< that it takes of the sender's attached buffer
};

/// The messages of a job that were sent and not received yet.  They go by the notes that travel
/// with them.
class SentMessages {
 public:
  /// Keeps it and gives the note; never 0.
  std::uint64_t add(const SentMessage& message) {
    if (free_.empty()) {
      messages_.push_back(message);
      return messages_.size();
    }
    const std::uint64_t note = free_.back();
    free_.pop_back();
    messages_[note - 1] = message;
    return note;
  }
  [[nodiscard]] const SentMessage& look_at(std::uint64_t note) const { return messages_[note - 1]; }
  /// Forgets it and says what it was.
  SentMessage take(std::uint64_t note) {
    free_.push_back(note);
    return messages_[note - 1];
  }

 private:
  std::vector<SentMessage> messages_;  // by note, less one
  std::vector<std::uint64_t> free_;
};

}  // namespace orrery::mpi
