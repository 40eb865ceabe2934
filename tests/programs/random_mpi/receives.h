/* All the ways to receive messages. */
#ifndef RECEIVES_H
#define RECEIVES_H

#include "messages.h"

typedef struct {
  MPI_Comm comm;
  const Spec* specs;
  int count;
  int are_alike;   /* the specs: which message goes to which makes no difference to the plan */
  int must_post;   /* all at once, since a sender may wait for any of them */
  int may_be_left; /* to be completed rounds later */
} Wanted;

/* Receives all in a way drawn for this rank. `under_way` holds sends that may be completed with
 * them. */
void receive_all(Rank* rank, const Wanted* wanted, List* under_way);

/* Receives one message by a receive that is cancelled, and by another if it was cancelled in time.
 */
void receive_by_cancel(Rank* rank, MPI_Comm comm, Spec spec);

/* Cancels a receive that nothing matches. */
void cancel_in_vain(Rank* rank, MPI_Comm comm, int tag);

/* Cancels one of the receives that were left, and begins another in its place if that was in time.
 */
void cancel_left(Rank* rank);

/* Asks once whether there is a message, and leaves it there. */
void look(Rank* rank, MPI_Comm comm, Spec spec);

#endif
