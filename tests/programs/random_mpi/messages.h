/* Messages and what they carry: the sender's hash, its round, and numbers that follow from these.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "state.h"

/* A new message, to be freed; its length in words goes to `count`. */
uint64_t* message_made(Rank* rank, int* count);

/* Checks a message that came and folds it. */
void message_folded(Rank* rank, const uint64_t* words, const MPI_Status* status);

/* Where a message for a receive with the tag `tag` may come from, and so on. */
typedef struct {
  int source, tag;
} Spec;

/* Sends one, and does not return before it has its receive, or is buffered. */
void send_now(Rank* rank, MPI_Comm comm, int to, int tag);

/* Begins to send one; `list` completes it. */
void send_later(Rank* rank, MPI_Comm comm, int to, int tag, List* list);

/* Adds a slot (its request is MPI_REQUEST_NULL still) and gives its index. */
int list_added(List* list, Slot slot);

void list_freed(List* list);

/* Begins a receive of `spec`. */
void receive_later(Rank* rank, MPI_Comm comm, Spec spec, List* list);

/* Receives one, in one call. */
void receive_now(Rank* rank, MPI_Comm comm, Spec spec);

/* Completes all of a list by calls drawn for this rank, and empties it. */
void list_completed(Rank* rank, List* list);

/* Asks once whether some of the list are complete. */
void list_polled(Rank* rank, List* list);

#endif
