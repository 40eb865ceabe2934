#include "account.h"

#include <stdio.h>
#include <stdlib.h>

#include "journal.h"

static Account* accounts;
static int count_of_accounts;

void accounts_open(int count, long balance) {
  accounts = calloc((size_t)count, sizeof(Account));
  if (accounts == NULL) {
    fprintf(stderr, "bank: no memory\n");
    exit(2);
  }
  count_of_accounts = count;
  for (int i = 0; i < count; ++i) {
    pthread_mutex_init(&accounts[i].lock, NULL);
    accounts[i].number = i;
    accounts[i].balance = balance;
  }
}

void accounts_close(void) {
  for (int i = 0; i < count_of_accounts; ++i) pthread_mutex_destroy(&accounts[i].lock);
  free(accounts);
  accounts = NULL;
  count_of_accounts = 0;
}

int accounts_count(void) {
  return count_of_accounts;
}

/* The one with the smaller number first: two transfers never wait for each other. */
static void lock_both(int a, int b) {
  pthread_mutex_lock(&accounts[a < b ? a : b].lock);
  pthread_mutex_lock(&accounts[a < b ? b : a].lock);
}

static void unlock_both(int a, int b) {
  pthread_mutex_unlock(&accounts[a].lock);
  pthread_mutex_unlock(&accounts[b].lock);
}

void account_transfer(int from, int to, long amount) {
  if (from == to) return;
  lock_both(from, to);
  accounts[from].balance -= amount;
  accounts[to].balance += amount;
  ++accounts[from].transfers;
  ++accounts[to].transfers;
  journal_write(from, to, amount);
  unlock_both(from, to);
}

long account_balance(int number) {
  pthread_mutex_lock(&accounts[number].lock);
  const long balance = accounts[number].balance;
  pthread_mutex_unlock(&accounts[number].lock);
  return balance;
}

long accounts_sum(void) {
  long sum = 0;
  for (int i = 0; i < count_of_accounts; ++i) pthread_mutex_lock(&accounts[i].lock);
  for (int i = 0; i < count_of_accounts; ++i) sum += accounts[i].balance;
  for (int i = count_of_accounts; i-- > 0;) pthread_mutex_unlock(&accounts[i].lock);
  return sum;
}
