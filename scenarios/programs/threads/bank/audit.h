/* The auditor: adds up the pages of the journal, and looks at the accounts now and then. */
#ifndef AUDIT_H
#define AUDIT_H

#include "journal.h"

typedef struct {
  long entries;
  long turnover;
  long largest;
  long inspections;
  long faults; /* inspections at which money was missing */
} Findings;

void audit_open(long money);
void audit_close(void);

/* Takes a page; called with the journal locked. */
void audit_page(const Entry* entries, int count);
/* Looks whether all money is there. */
void audit_inspect(void);
/* What the journal says an account has, beside what it had at first. */
long audit_change(int account);
Findings audit_findings(void);

#endif
