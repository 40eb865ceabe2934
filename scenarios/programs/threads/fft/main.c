/* fft [LOG2_SIDE] [THREADS]: transforms a signal, looks at some frequencies, transforms it back. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"
#include "transform.h"

static double complex* make_signal(int size) {
  double complex* signal = malloc((size_t)size * sizeof(double complex));
  if (signal == NULL) {
    fprintf(stderr, "fft: no memory\n");
    exit(2);
  }
  unsigned long state = 2024;
  for (int i = 0; i < size; ++i) {
    double part[2];
    for (int k = 0; k < 2; ++k) {
      state = state * 6364136223846793005UL + 1442695040888963407UL;
      part[k] = (double)(state >> 40) / (1 << 24) - 0.5;
    }
    signal[i] = part[0] + I * part[1];
  }
  return signal;
}

/* One frequency by the definition. */
static double complex direct(const double complex* signal, int size, int frequency) {
  double complex sum = 0;
  for (int i = 0; i < size; ++i) {
    const double angle = -2 * 3.14159265358979323846 * (double)((long)i * frequency % size) / size;
    sum += signal[i] * (cos(angle) + I * sin(angle));
  }
  return sum;
}

static int frequencies_differ(const double complex* signal, const double complex* spectrum,
                              int size) {
  for (int i = 0; i < 4; ++i) {
    const int frequency = (int)((long)size * (2 * i + 1) / 8) + i;
    const double off = cabs(direct(signal, size, frequency) - spectrum[frequency]);
    if (off < 1e-9 * size) continue;
    printf("wrong: frequency %d is off by %g\n", frequency, off);
    return 1;
  }
  return 0;
}

/* The transform of a transform is the signal backwards, `size` times as strong. */
static int signals_differ(const double complex* signal, const double complex* twice, int size) {
  for (int i = 0; i < size; ++i) {
    const double off = cabs(twice[i == 0 ? 0 : size - i] / size - signal[i]);
    if (off < 1e-9) continue;
    printf("wrong: number %d does not come back, it is off by %g\n", i, off);
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  const int log2_side = argc > 1 ? atoi(argv[1]) : 5;
  const int threads = argc > 2 ? atoi(argv[2]) : 4;
  if (log2_side < 1 || log2_side > 13 || threads < 1) {
    fprintf(stderr, "usage: fft [LOG2_SIDE] [THREADS]: 1 to 13, and at least 1\n");
    return 2;
  }
  const int side = 1 << log2_side, size = side * side;
  double complex* signal = make_signal(size);
  double complex* data = make_signal(size);

  transform(data, side, threads);
  double energy = 0;
  for (int i = 0; i < size; ++i) energy += creal(data[i] * conj(data[i]));
  printf("fft of %d numbers: energy %.6f, first (%.6f, %.6f), last (%.6f, %.6f)\n", size,
         energy / size, creal(data[0]), cimag(data[0]), creal(data[size - 1]),
         cimag(data[size - 1]));
  int wrong = frequencies_differ(signal, data, size);
  if (!wrong) {
    transform(data, side, threads);
    wrong = signals_differ(signal, data, size);
  }
  plan_free();
  free(data);
  free(signal);
  return wrong;
}
