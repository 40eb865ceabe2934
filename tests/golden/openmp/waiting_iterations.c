/* Loops whose iterations wait for each other, and reductions that tasks take part in; writes ok if
 * each did what it says. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(x)                             \
  do {                                       \
    if (!(x)) {                              \
      printf("line %d: %s\n", __LINE__, #x); \
      exit(1);                               \
    }                                        \
  } while (0)

enum { side = 5 };

static void in_a_row(void) {
  int i, sum[12] = {1};
#pragma omp parallel for ordered(1) schedule(static, 2)
  for (i = 1; i < 12; ++i) {
#pragma omp ordered depend(sink : i - 1)
    sum[i] = sum[i - 1] + i;
#pragma omp ordered depend(source)
  }
  CHECK(sum[11] == 67);
  /* By steps downwards, and with a number that has no sign. */
  unsigned long long u;
  int visits[40] = {0};
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (i = 30; i > 3; i -= 3) {
#pragma omp ordered depend(sink : i + 3)
    visits[i] = i < 30 ? visits[i + 3] + 1 : 1;
#pragma omp ordered depend(source)
  }
  CHECK(visits[6] == 9);
#pragma omp parallel for ordered(1) schedule(guided)
  for (u = 3; u < 30; u += 3) {
#pragma omp ordered depend(sink : u - 3)
    visits[u] = u > 3 ? visits[u - 3] + 1 : 1;
#pragma omp ordered depend(source)
  }
  CHECK(visits[27] == 9);
}

static void wavefront(omp_sched_t kind) {
  int i, j, cell[side][side];
  omp_set_schedule(kind, 1);
#pragma omp parallel for ordered(2) schedule(runtime) num_threads(3)
  for (i = 0; i < side; ++i) {
    for (j = 0; j < side; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      cell[i][j] = i == 0 || j == 0 ? 1 : cell[i - 1][j] + cell[i][j - 1];
#pragma omp ordered depend(source)
    }
  }
  CHECK(cell[side - 1][side - 1] == 70);
}

static void groups_of_tasks(void) {
  int sum = 0, i;
  long product = 1;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
    {
      for (i = 1; i <= 4; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product) firstprivate(i)
        {
          sum += i;
          product *= i;
#pragma omp task in_reduction(+ : sum)
          sum += 100;
        }
      }
    }
    CHECK(sum == 410 && product == 24);
#pragma omp taskloop reduction(+ : sum) grainsize(2)
    for (i = 0; i < 6; ++i) sum += i;
    CHECK(sum == 425);
#pragma omp taskloop reduction(+ : sum) grainsize(2)
    for (i = sum; i < 6; ++i) sum += i;
    CHECK(sum == 425);
  }
}

static void shared_work(void) {
  int region = 0, loop = 0, sections = 0, i;
#pragma omp parallel num_threads(3) reduction(task, + : region)
  {
#pragma omp task in_reduction(+ : region)
    region += 10;
    region += 1;
  }
  CHECK(region == 33);
#pragma omp parallel num_threads(3)
  {
#pragma omp for reduction(task, + : loop) schedule(dynamic)
    for (i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : loop)
      loop += 10;
      loop += 1;
    }
#pragma omp sections reduction(task, + : sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : sections)
        sections += 10;
      }
#pragma omp section
      sections += 1;
    }
  }
  CHECK(loop == 55);
  CHECK(sections == 11);
  int scope = 0;
#pragma omp parallel num_threads(3)
#pragma omp scope reduction(task, + : scope)
  {
#pragma omp task in_reduction(+ : scope)
    scope += 10;
    scope += 1;
  }
  CHECK(scope == 33);
}

int main(void) {
  in_a_row();
  wavefront(omp_sched_static);
  wavefront(omp_sched_dynamic);
  wavefront(omp_sched_guided);
  groups_of_tasks();
  shared_work();
  puts("ok");
  return 0;
}
