/* Roots of unity, made at their first use and shared by all threads. */
#ifndef PLAN_H
#define PLAN_H

#include <complex.h>

/* exp(-2 pi i k / length) for k = 0 .. length / 2 - 1; `length` is a power of two. */
const double complex* plan_roots(int length);

/* exp(-2 pi i row * column / length): row `row`, of `columns` numbers. */
void plan_twiddles(int length, int row, int columns, double complex* twiddles);

void plan_free(void);

#endif
