/* What was booked, page after page; a full page goes to the auditor. */
#ifndef JOURNAL_H
#define JOURNAL_H

typedef struct {
  int from;
  int to;
  long amount;
} Entry;

enum { page_entries = 4 };

void journal_open(void);
void journal_close(void);

/* Called with the accounts locked, so that the journal has the order of the transfers. */
void journal_write(int from, int to, long amount);
/* Hands over what is on the last page. */
void journal_flush(void);

#endif
