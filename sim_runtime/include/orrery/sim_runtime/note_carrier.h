/* How the notes of messages get into other processes of the same run. */
#pragma once

#include <stdint.h>

#include <orrery/sim_runtime/runtime_table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who knows what the notes of messages stand for: exported by front ends whose notes are more than
   numbers, as `orrery_front_end_note_carrier`.  Where a rank goes on by itself, in a process that
   was restored from an image of a run, its messages come from other such processes, and go there.
 */
typedef struct OrreryNoteCarrier {
  /* What stands behind the note of this message; null: the note is all that there is. */
  const void* (*content)(const OrreryEnvelope* message, uint64_t* size_bytes);
  /* This message, which was sent here, is received elsewhere, once. */
  void (*leaves)(const OrreryEnvelope* message);
  /* The note for this message, which comes from elsewhere with that content. */
  uint64_t (*arrives)(const OrreryEnvelope* message, const void* content, uint64_t size_bytes);
} OrreryNoteCarrier;

#ifdef __cplusplus
}
#endif
