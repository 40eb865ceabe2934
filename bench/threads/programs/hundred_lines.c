/* A program of a hundred lines: two producers, a bounded queue, a consumer that adds up. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { capacity = 2, producers = 2, items_each = 4 };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t not_full;
  pthread_cond_t not_empty;
  int items[capacity];
  int first;
  int used;
  int open_producers;
} Queue;

typedef struct {
  Queue* queue;
  int number;
} Producer;

static void queue_init(Queue* queue) {
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->not_full, NULL);
  pthread_cond_init(&queue->not_empty, NULL);
  queue->first = 0;
  queue->used = 0;
  queue->open_producers = producers;
}

static void queue_destroy(Queue* queue) {
  pthread_cond_destroy(&queue->not_empty);
  pthread_cond_destroy(&queue->not_full);
  pthread_mutex_destroy(&queue->lock);
}

static void queue_put(Queue* queue, int item) {
  pthread_mutex_lock(&queue->lock);
  while (queue->used == capacity) pthread_cond_wait(&queue->not_full, &queue->lock);
  queue->items[(queue->first + queue->used) % capacity] = item;
  ++queue->used;
  pthread_cond_signal(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

/* 0 if there will be none any more. */
static int queue_take(Queue* queue, int* item) {
  pthread_mutex_lock(&queue->lock);
  while (queue->used == 0 && queue->open_producers > 0) {
    pthread_cond_wait(&queue->not_empty, &queue->lock);
  }
  const int has_item = queue->used > 0;
  if (has_item) {
    *item = queue->items[queue->first];
    queue->first = (queue->first + 1) % capacity;
    --queue->used;
    pthread_cond_signal(&queue->not_full);
  }
  pthread_mutex_unlock(&queue->lock);
  return has_item;
}

static void queue_leave(Queue* queue) {
  pthread_mutex_lock(&queue->lock);
  --queue->open_producers;
  pthread_cond_broadcast(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

static void* produce(void* argument) {
  const Producer* me = argument;
  for (int i = 0; i < items_each; ++i) queue_put(me->queue, me->number * 100 + i);
  queue_leave(me->queue);
  return NULL;
}

static void* consume(void* argument) {
  int item = 0;
  long sum = 0;
  while (queue_take(argument, &item)) sum += item;
  return (void*)sum;
}

int main(void) {
  Queue queue;
  queue_init(&queue);
  Producer all[producers] = {{&queue, 1}, {&queue, 2}};
  pthread_t consumer, threads[producers];
  if (pthread_create(&consumer, NULL, consume, &queue) != 0) return 2;
  for (int i = 0; i < producers; ++i) {
    if (pthread_create(&threads[i], NULL, produce, &all[i]) != 0) return 2;
  }
  for (int i = 0; i < producers; ++i) pthread_join(threads[i], NULL);
  void* sum = NULL;
  pthread_join(consumer, &sum);
  queue_destroy(&queue);
  return (long)sum != 1212;
}
