#include "audit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "account.h"

static pthread_mutex_t audit_lock;
static Findings findings;
static long* changes; /* of each account, by the journal */
static long all_money;

void audit_open(long money) {
  pthread_mutex_init(&audit_lock, NULL);
  all_money = money;
  findings = (Findings){0};
  changes = calloc((size_t)accounts_count(), sizeof(long));
  if (changes == NULL) {
    fprintf(stderr, "bank: no memory\n");
    exit(2);
  }
}

void audit_close(void) {
  free(changes);
  pthread_mutex_destroy(&audit_lock);
}

void audit_page(const Entry* entries, int count) {
  pthread_mutex_lock(&audit_lock);
  for (int i = 0; i < count; ++i) {
    ++findings.entries;
    findings.turnover += entries[i].amount;
    if (entries[i].amount > findings.largest) findings.largest = entries[i].amount;
    changes[entries[i].from] -= entries[i].amount;
    changes[entries[i].to] += entries[i].amount;
  }
  pthread_mutex_unlock(&audit_lock);
}

/* The order of all locks: accounts, journal, audit. */
void audit_inspect(void) {
#ifdef BUG
  pthread_mutex_lock(&audit_lock);
  const long sum = accounts_sum(); /* BUG: accounts under the lock that a full journal waits for */
#else
  const long sum = accounts_sum();
  pthread_mutex_lock(&audit_lock);
#endif
  ++findings.inspections;
  if (sum != all_money) ++findings.faults;
  pthread_mutex_unlock(&audit_lock);
}

long audit_change(int account) {
  pthread_mutex_lock(&audit_lock);
  const long change = changes[account];
  pthread_mutex_unlock(&audit_lock);
  return change;
}

Findings audit_findings(void) {
  pthread_mutex_lock(&audit_lock);
  const Findings copy = findings;
  pthread_mutex_unlock(&audit_lock);
  return copy;
}
