/* signal ROUNDS: a codec's arithmetic: a window, an FFT by sin and cos, logarithms of energies, companding by pow, and rounding to
 * integers.
 *
 * Felt: sin, cos, sqrt, log10, pow, expf, floor, lrint, fma. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1024 };
static double re[N], im[N];

static void fft(int n, double *x, double *y) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            double t = x[i];
            x[i] = x[j], x[j] = t;
            t = y[i], y[i] = y[j], y[j] = t;
        }
    }
    for (int len = 2; len <= n; len <<= 1)
        for (int k = 0; k < len / 2; k++) {
            double angle = -2 * 3.14159265358979323846 * k / len, c = cos(angle), s = sin(angle);
            for (int i = k; i < n; i += len) {
                double a = x[i + len / 2] * c - y[i + len / 2] * s, b = x[i + len / 2] * s + y[i + len / 2] * c;
                x[i + len / 2] = x[i] - a, y[i + len / 2] = y[i] - b;
                x[i] += a, y[i] += b;
            }
        }
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 2000, sum = 0;
    unsigned noise = 12345;
    double energy = 0;
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < N; i++) {
            noise = noise * 1664525u + 1013904223u;
            double v = sin(i * 0.05 + (double)r) + (double)(noise >> 16) / 65536 - 0.5;
            re[i] = v * (0.5 - 0.5 * cos(2 * 3.14159265358979323846 * i / N));
            im[i] = 0;
        }
        fft(N, re, im);
        for (int i = 0; i < N / 2; i++) {
            double power = fma(re[i], re[i], im[i] * im[i]) + 1e-9, db = 10 * log10(power);
            float weight = expf((float)-fabs(db) / 40);
            energy += floor(db) * weight;
            sum += lrint(pow(sqrt(power), 0.75) * 16);
        }
    }
    /* Rounded: the last bits of a libm are its own. */
    printf("%ld rounds, energy %.3e, sum about %ld\n", rounds, energy, sum / 100000);
    return 0;
}
