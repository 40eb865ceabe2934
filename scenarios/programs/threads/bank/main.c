/* bank [TRANSFERS] [TELLERS] [ACCOUNTS]: tellers book transfers, while an auditor inspects. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "account.h"
#include "audit.h"
#include "journal.h"

enum { first_balance = 1000, inspections = 3 };

typedef struct {
  int number;
  int transfers;
  pthread_t thread;
} Teller;

static void* run_teller(void* argument) {
  const Teller* teller = argument;
  char name[16];
  snprintf(name, sizeof name, "teller-%d", teller->number);
  pthread_setname_np(pthread_self(), name);
  unsigned long state = (unsigned long)teller->number * 977 + 5;
  for (int i = 0; i < teller->transfers; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    const int from = (int)((state >> 33) % (unsigned long)accounts_count());
    const int to = (int)((state >> 45) % (unsigned long)accounts_count());
    account_transfer(from, to, (long)(state >> 57) + 1);
  }
  return NULL;
}

static void* run_auditor(void* unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "auditor");
  for (int i = 0; i < inspections; ++i) audit_inspect();
  return NULL;
}

static int argument(int argc, char** argv, int i, int otherwise) {
  const int value = argc > i ? atoi(argv[i]) : otherwise;
  if (value < 1) {
    fprintf(stderr, "usage: bank [TRANSFERS] [TELLERS] [ACCOUNTS], each at least 1\n");
    exit(2);
  }
  return value;
}

static void start(pthread_t* thread, void* (*body)(void*), void* argument) {
  if (pthread_create(thread, NULL, body, argument) == 0) return;
  fprintf(stderr, "bank: cannot start a thread\n");
  exit(2);
}

/* The books agree with the accounts, and nothing was lost on the way. */
static int is_wrong(int accounts) {
  const Findings findings = audit_findings();
  int wrong = findings.faults != 0 || accounts_sum() != (long)accounts * first_balance;
  for (int i = 0; i < accounts; ++i) {
    wrong |= account_balance(i) != first_balance + audit_change(i);
  }
  if (wrong) printf("wrong: the books do not agree with the accounts\n");
  return wrong;
}

int main(int argc, char** argv) {
  const int transfers = argument(argc, argv, 1, 8);
  const int tellers = argument(argc, argv, 2, 3);
  const int accounts = argument(argc, argv, 3, 5);
  accounts_open(accounts, first_balance);
  journal_open();
  audit_open((long)accounts * first_balance);

  Teller* all = calloc((size_t)tellers, sizeof(Teller));
  pthread_t auditor;
  for (int i = 0; i < tellers; ++i) {
    all[i].number = i;
    all[i].transfers = transfers;
    start(&all[i].thread, run_teller, &all[i]);
  }
  start(&auditor, run_auditor, NULL);
  for (int i = 0; i < tellers; ++i) pthread_join(all[i].thread, NULL);
  pthread_join(auditor, NULL);
  journal_flush();

  const Findings findings = audit_findings();
  printf("bank: %ld entries, turnover %ld, largest %ld, %ld inspections, first account %ld\n",
         findings.entries, findings.turnover, findings.largest, findings.inspections,
         account_balance(0));
  const int wrong = is_wrong(accounts);
  free(all);
  audit_close();
  journal_close();
  accounts_close();
  return wrong;
}
