#include "journal.h"

#include <pthread.h>

#include "audit.h"

static pthread_mutex_t journal_lock;
static Entry page[page_entries];
static int used;

void journal_open(void) {
  pthread_mutex_init(&journal_lock, NULL);
  used = 0;
}

void journal_close(void) {
  pthread_mutex_destroy(&journal_lock);
}

/* With the journal locked. */
static void turn_page(void) {
  audit_page(page, used);
  used = 0;
}

void journal_write(int from, int to, long amount) {
  pthread_mutex_lock(&journal_lock);
  page[used].from = from;
  page[used].to = to;
  page[used].amount = amount;
  if (++used == page_entries) turn_page();
  pthread_mutex_unlock(&journal_lock);
}

void journal_flush(void) {
  pthread_mutex_lock(&journal_lock);
  turn_page();
  pthread_mutex_unlock(&journal_lock);
}
