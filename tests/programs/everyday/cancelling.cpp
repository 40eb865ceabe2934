#include <cstdio>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

namespace {

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
sem_t tokens;
int ends[2];
int rounds;  // these under the lock
int woken;
int cleaned;

void add_round() {
  pthread_mutex_lock(&lock);
  ++rounds;
  pthread_mutex_unlock(&lock);
}

void clean_up(void* held) {
  ++cleaned;
  pthread_mutex_unlock(static_cast<pthread_mutex_t*>(held));
}

// Each counts what it came to.
void* wait_for_change(void*) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(clean_up, &lock);
  while (true) {
    pthread_cond_wait(&changed, &lock);
    ++woken;
  }
  pthread_cleanup_pop(1);
  return nullptr;
}
void* test_always(void* count) {
  while (true) {
    if (++*static_cast<int*>(count) > 50) usleep(20);
    pthread_testcancel();
  }
}
void* test_later(void* count) {
  int before = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  for (int i = 0; i < 5; ++i) {
    usleep(50);
    pthread_testcancel();
    add_round();
    ++*static_cast<int*>(count);
  }
  pthread_setcancelstate(before, nullptr);
  return test_always(count);
}
void* take_tokens(void* count) {
  while (true) {
    sem_wait(&tokens);
    ++*static_cast<int*>(count);
  }
}
void* sleep_again(void* count) {
  const timespec moment{0, 20'000};
  while (true) {
    nanosleep(&moment, nullptr);
    ++*static_cast<int*>(count);
  }
}
void* read_letters(void* count) {
  char letter = 0;
  while (true) {
    if (read(ends[0], &letter, 1) == 1) ++*static_cast<int*>(count);
  }
}
void* end_soon(void* count) {
  for (int i = 0; i < 10; ++i) {
    add_round();
    ++*static_cast<int*>(count);
    pthread_testcancel();
  }
  return count;
}
void* end_at_once(void* count) {
  add_round();
  return count;
}
void* join_other(void* other) {
  pthread_join(*static_cast<pthread_t*>(other), nullptr);
  return nullptr;
}
void* cancel_other(void* other) {
  pthread_cancel(*static_cast<pthread_t*>(other));
  add_round();
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&tokens, 0, 2);
  if (pipe(ends) != 0) return 1;
  void* (*const functions[])(void*) = {wait_for_change, test_always,  test_later, take_tokens,
                                       sleep_again,     read_letters, end_soon,   end_soon};
  constexpr int many = sizeof functions / sizeof *functions;
  pthread_t threads[many];
  int counts[many] = {};
  for (int i = 0; i < many; ++i) pthread_create(&threads[i], nullptr, functions[i], &counts[i]);
  pthread_t ended, joiner, cancellers[2];
  pthread_create(&joiner, nullptr, join_other, &threads[1]);
  pthread_create(&ended, nullptr, end_at_once, &counts[0]);
  for (int i = 0; i < 3; ++i) {
    add_round();
    pthread_cond_signal(&changed);
    sem_post(&tokens);
    if (write(ends[1], "x", 1) != 1) return 1;
  }
  for (pthread_t& one : cancellers) pthread_create(&one, nullptr, cancel_other, &threads[6]);
  usleep(100);
  void* result = nullptr;
  pthread_cancel(joiner);
  pthread_join(joiner, &result);
  std::printf("joiner %d, ", result == PTHREAD_CANCELED ? 1 : 0);
  for (int i = 0; i < 6; ++i) {
    pthread_cancel(threads[i]);
    if (i == 2) pthread_cond_signal(&changed);
  }
  pthread_cancel(threads[7]);
  const int was_there = pthread_cancel(ended);
  for (pthread_t& one : cancellers) pthread_join(one, nullptr);
  pthread_join(ended, nullptr);
  for (int i = 0; i < many; ++i) {
    pthread_join(threads[i], &result);
    std::printf("%d%s, ", counts[i], result == PTHREAD_CANCELED ? "" : " to its end");
  }
  std::printf("%d rounds, %d woken, %d cleaned, %d\n", rounds, woken, cleaned, was_there);
}
