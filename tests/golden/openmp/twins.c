/* Bugs that people write with OpenMP; with MENDED as they should have been. */
#include <assert.h>
#include <omp.h>
#include <stdio.h>

#if defined(MISSING_BARRIER)
int main(void) {
  int done[2] = {0, 0}, seen = 0;
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    done[me] = 1;
#ifdef MENDED
#pragma omp barrier
#endif
#pragma omp critical
    seen += done[1 - me];
  }
  assert(seen == 2);
  return 0;
}

#elif defined(MISSING_TASKWAIT)
int main(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(value)
    value = 1;
#ifdef MENDED
#pragma omp taskwait
#endif
    assert(value == 1);
  }
  return 0;
}

#elif defined(MISSING_DEPENDENCE)
int main(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(value) depend(out : value)
    value = 1;
#ifdef MENDED
#pragma omp task shared(value) depend(inout : value)
#else
#pragma omp task shared(value)
#endif
    value = value * 10 + 2;
  }
  assert(value == 12);
  return 0;
}

#elif defined(SPLIT_CRITICAL)
int main(void) {
  int count = 0, i;
#pragma omp parallel for schedule(dynamic)
  for (i = 0; i < 4; ++i) {
#ifdef MENDED
#pragma omp critical
    count = count + 1;
#else
    int now;
#pragma omp critical
    now = count;
#pragma omp critical
    count = now + 1;
#endif
  }
  assert(count == 4);
  return 0;
}

#elif defined(LOCK_ORDER)
static omp_lock_t first, second;
static void both(omp_lock_t* one, omp_lock_t* other) {
  omp_set_lock(one);
  omp_set_lock(other);
  omp_unset_lock(other);
  omp_unset_lock(one);
}
int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    both(&first, &second);
#pragma omp section
#ifdef MENDED
    both(&first, &second);
#else
    both(&second, &first);
#endif
  }
  return 0;
}

#elif defined(SINGLE_WITHOUT_WAIT)
int main(void) {
  int ready = 0, seen = 0;
#pragma omp parallel num_threads(3)
  {
#ifdef MENDED
#pragma omp single
#else
#pragma omp single nowait
#endif
    {
#pragma omp critical
      puts("preparing");
      ready = 1;
    }
#pragma omp critical
    seen += ready;
  }
  assert(seen == 3);
  return 0;
}

#elif defined(MISSING_ORDER)
int main(void) {
  int last = -1, is_sorted = 1, i;
#pragma omp parallel for ordered schedule(dynamic)
  for (i = 0; i < 6; ++i) {
#ifdef MENDED
#pragma omp ordered
#else
#pragma omp critical
#endif
    {
      if (last > i) is_sorted = 0;
      last = i;
    }
  }
  assert(is_sorted);
  return 0;
}

#elif defined(GROUP_LEFT_EARLY)
int main(void) {
  int deep = 0;
#pragma omp parallel
#pragma omp single
  {
#ifdef MENDED
#pragma omp taskgroup
#endif
    {
#pragma omp task shared(deep)
        {
#pragma omp task shared(deep)
            deep = 1;
  }
#ifndef MENDED
#pragma omp taskwait
#endif
}
assert(deep == 1);
}
return 0;
}
#endif
