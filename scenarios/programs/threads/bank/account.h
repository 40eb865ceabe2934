/* Accounts, each with a lock of its own. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <pthread.h>

typedef struct {
  pthread_mutex_t lock;
  int number;
  long balance;
  long transfers;
} Account;

/* Opens accounts 0 .. count - 1 with `balance` each. */
void accounts_open(int count, long balance);
void accounts_close(void);
int accounts_count(void);

/* Moves `amount` and writes it into the journal while both accounts are locked. */
void account_transfer(int from, int to, long amount);

/* One account's balance, by its lock. */
long account_balance(int number);
/* All accounts at one moment: their sum. */
long accounts_sum(void);

#endif
