/* The six-step FFT (Bailey 1990): a vector as a square matrix, whose rows are transformed alone. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <complex.h>

/* Replaces `data`, side * side numbers, by its transform; `side` is a power of two. */
void transform(double complex* data, int side, int threads);

#endif
