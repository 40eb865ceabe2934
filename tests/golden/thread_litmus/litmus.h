/* Litmus programs: each is a function whose outcome, a small number, may depend on the schedule.
 *   litmus NAME is X        ends with status 1 if the outcome is X
 *   litmus NAME within X... ends with status 1 if it is none of these
 * So a search finds what is reachable, and must not find what is not. */
#ifndef LITMUS_H
#define LITMUS_H

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;
  int (*run)(void);
} Litmus;

/* Each file has a table, which ends with a null name. */
extern const Litmus litmus_threads[];
extern const Litmus litmus_mutexes[];
extern const Litmus litmus_waiting[];
extern const Litmus litmus_c11[];
extern const Litmus litmus_kernel[];

/* Runs the one that the arguments name, and judges it; 2 if there is none. */
int litmus_main(int argc, char** argv, const Litmus* const* tables);

/* Starts both, and joins both. */
void run_both(void* (*first)(void*), void* (*second)(void*));

#ifdef __cplusplus
}
#endif

#endif
