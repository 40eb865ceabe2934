// What stands behind messages' notes, for processes in which it does not: images of one process,
// in which what ranks have in common lies at the same addresses.
#include <cstring>
#include <type_traits>

#include <orrery/sim_runtime/note_carrier.h>

#include "ranks/rank_state.hpp"

namespace orrery::mpi {
namespace {

static_assert(std::is_trivially_copyable_v<SentMessage>);

/// Those of collectives carry a hash, or nothing.
bool is_of_program(const OrreryEnvelope& message) {
  return message.context % Contexts::block_size == 0 && message.note != 0;
}

const void* content(const OrreryEnvelope* message, std::uint64_t* size_bytes) {
  if (!is_of_program(*message) || current_job() == nullptr) return nullptr;
  *size_bytes = sizeof(SentMessage);
  return &current_job()->sent().look_at(message->note);
}

void leaves(const OrreryEnvelope* message) {
  if (!is_of_program(*message) || current_job() == nullptr) return;
  // Its note stays: whoever cancels the send looks it up.
  current_job()->free_buffer(current_job()->sent().look_at(message->note));
}

std::uint64_t arrives(const OrreryEnvelope* message, const void* content,
                      std::uint64_t size_bytes) {
  if (size_bytes != sizeof(SentMessage) || current_job() == nullptr) return message->note;
  SentMessage sent;
  std::memcpy(&sent, content, sizeof sent);
  sent.buffer_bytes = 0;  // it has left its sender's buffer
  return current_job()->sent().add(sent);
}

}  // namespace
}  // namespace orrery::mpi

extern "C" __attribute__((visibility("default")))
const OrreryNoteCarrier orrery_front_end_note_carrier{orrery::mpi::content, orrery::mpi::leaves,
                                                      orrery::mpi::arrives};
