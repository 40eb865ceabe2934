/* Every construct of OpenMP that is simulated; writes ok if each did what it says. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
static int tp;
#pragma omp threadprivate(tp)
static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
#define CHECK(x)                             \
  do {                                       \
    if (!(x)) {                              \
      printf("line %d: %s\n", __LINE__, #x); \
      exit(1);                               \
    }                                        \
  } while (0)
static void regions(void) {
  int count = 0;
  CHECK(omp_get_max_threads() == 4);
#pragma omp parallel
  {
#pragma omp atomic
    count++;
    tp = omp_get_thread_num() + 10;
  }
  CHECK(count == 4);
#pragma omp parallel reduction(+ : count)
  count += tp == omp_get_thread_num() + 10;
  CHECK(count == 8);
}

static void loops(void) {
  int i, n = 100;
  long sum = 0;
  int* a = (int*)calloc(n, sizeof *a);
#pragma omp parallel for schedule(static)
  for (i = 0; i < n; ++i) a[i]++;
#pragma omp parallel for schedule(dynamic)
  for (i = 0; i < n; ++i) a[i]++;
#pragma omp parallel for schedule(guided, 2)
  for (i = n - 1; i >= 0; --i) a[i]++;
#pragma omp parallel for schedule(runtime)
  for (i = 0; i < n; i += 3) a[i]++;
#pragma omp parallel for schedule(static, 7)
  for (i = 0; i < n; ++i) a[i]++;
#pragma omp parallel for schedule(nonmonotonic : dynamic, 5) reduction(+ : sum)
  for (i = 0; i < n; ++i) sum += i;
  CHECK(sum == 4950);
  for (i = 0; i < n; ++i) CHECK(a[i] == 4 + (i % 3 == 0));
  free(a);
}

static void ordered(void) {
  int i, n = 100;
  int last = -1, ok = 1;
#pragma omp parallel for ordered schedule(dynamic, 3)
  for (i = 0; i < n; ++i) {
#pragma omp ordered
    {
      ok &= last == i - 1;
      last = i;
    }
  }
  CHECK(ok && last == n - 1);
  last = -1;
#pragma omp parallel for ordered schedule(static, 3)
  for (i = 0; i < n; ++i) {
#pragma omp ordered
    {
      ok &= last == i - 1;
      last = i;
    }
  }
  CHECK(ok && last == n - 1);
  unsigned long long u;
  unsigned long long usum = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : usum)
  for (u = 18446744073709551600ULL; u < 18446744073709551610ULL; u += 3)
    usum += u - 18446744073709551600ULL;
  CHECK(usum == 0 + 3 + 6 + 9);
}

static void shares(void) {
  int count = 8;
  int secs[3] = {0};
#pragma omp parallel sections
  {
#pragma omp section
    secs[0]++;
#pragma omp section
    secs[1]++;
#pragma omp section
    secs[2]++;
  }
  CHECK(secs[0] == 1 && secs[1] == 1 && secs[2] == 1);
  int singles = 0, copied = 0, priv, masters = 0;
#pragma omp parallel private(priv)
  {
#pragma omp single
    singles++;
#pragma omp single copyprivate(priv)
    priv = 42;
#pragma omp atomic
    copied += priv == 42;
#pragma omp master
    masters++;
#pragma omp critical
    count++;
#pragma omp critical(named)
    count++;
#pragma omp barrier
  }
  CHECK(singles == 1 && copied == 4 && masters == 1 && count == 16);
}

static void tasks(void) {
  int f;
#pragma omp parallel
#pragma omp single
  f = fib(7);
  CHECK(f == 13);
  int d = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : d)
    d = 1;
#pragma omp task depend(inout : d)
    d = d * 10 + 2;
#pragma omp task depend(in : d)
    CHECK(d == 12);
#pragma omp task depend(in : d)
    CHECK(d == 12);
#pragma omp task depend(out : d)
    d = 3;
  }
  CHECK(d == 3);
}

static void groups(void) {
  int i;
  int tl[50] = {0}, g = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (i = 0; i < 50; ++i) tl[i]++;
    for (i = 0; i < 50; ++i) CHECK(tl[i] == 1);
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        {
#pragma omp atomic
          g++;
        }
#pragma omp atomic
        g++;
      }
    }
    CHECK(g == 2);
#pragma omp taskloop num_tasks(3)
    for (i = 0; i < 50; ++i) tl[i]++;
  }
  for (i = 0; i < 50; ++i) CHECK(tl[i] == 2);
}

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  int locked = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
  {
    omp_set_lock(&lock);
    locked++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 2);
    locked++;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    CHECK(omp_get_num_threads() == 3 && omp_in_parallel() && omp_get_level() == 1);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  CHECK(locked == 6);
}

static void levels(void) {
  int i, n = 100;
  int* a = (int*)calloc(n, sizeof *a);
  int inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
  {
#pragma omp atomic
    inner += omp_get_level() == 2 && omp_get_team_size(1) == 2 &&
             omp_get_ancestor_thread_num(2) == omp_get_thread_num();
  }
  CHECK(inner == 6);
  double t = omp_get_wtime();
  CHECK(t >= 0);
#pragma omp parallel for lastprivate(i) if (n > 1000)
  for (i = 0; i < n; ++i) a[i] = 0;
  CHECK(i == n);
  free(a);
}

int main(void) {
  regions();
  loops();
  ordered();
  shares();
  tasks();
  groups();
  locks();
  levels();
  puts("ok");
  return 0;
}
