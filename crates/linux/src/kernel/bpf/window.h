/* The window's step from ACK to ACK, in integers: for BPF, which has no floats, no signed division and no 128 bits; and for the host, where
 * tests hold it against the f64 of `symbiosis_control::lotka_volterra::logistic`.
 *
 *     w' = w / (e + (w/w*)·(1 − e)),  e = exp(−g·t)                      (T Eq 10, rewritten: all terms are positive)
 *
 * Numbers are m·2^x with 32 bits of m, so that no input makes a small term vanish beside a large one.
 */
#ifndef SYMBIOSIS_WINDOW_H
#define SYMBIOSIS_WINDOW_H

typedef unsigned long long u64;
typedef unsigned int u32;

/* Windows are in segments of full size, with so many bits for parts of one. */
#define WINDOW_BITS 20
#define MOST_WINDOW ((1ULL << 52) - 1)
/* No step is longer [ns]: more is a pause. */
#define LONGEST_STEP 4000000000ULL

struct real {
	u64 m; /* 0, or 2^31 ≤ m < 2^32 */
	int x;
};

/* The number of bits of v. Without branches, each of which BPF's verifier would follow both ways. */
static inline __attribute__((always_inline)) int bits(u64 v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	v -= (v >> 1) & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + ((v >> 2) & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (int)((v * 0x0101010101010101ULL) >> 56);
}

/* v·2^x. */
static inline __attribute__((always_inline)) struct real normal(u64 v, int x)
{
	int n = bits(v);
	struct real out = { (v << ((64 - n) & 63)) >> 32, x + n - 32 };
	return out;
}

static inline __attribute__((always_inline)) struct real times(struct real a, struct real b)
{
	return normal(a.m * b.m, a.x + b.x);
}

/* b is not zero. */
static inline __attribute__((always_inline)) struct real over(struct real a, struct real b)
{
	return normal((a.m << 32) / b.m, a.x - b.x - 32);
}

static inline __attribute__((always_inline)) struct real plus(struct real a, struct real b)
{
	struct real large = a, small = b;
	if (a.m == 0)
		return b;
	if (b.m == 0)
		return a;
	if (b.x > a.x) {
		large = b;
		small = a;
	}
	int apart = large.x - small.x;
	if (apart > 31)
		return large;
	return normal(large.m + (small.m >> (apart & 31)), large.x);
}

/* The whole part of a·2^bits, at most `most`. */
static inline __attribute__((always_inline)) u64 fixed(struct real a, int bits, u64 most)
{
	int x = a.x + bits;
	u64 v = 0;
	if (x >= 0)
		v = x > 31 ? most : a.m << (x & 31);
	else if (x > -32)
		v = a.m >> (-x & 31);
	if (a.m == 0)
		v = 0;
	return v < most ? v : most;
}

#define ONE (1ULL << 32)
/* c - f·v, all with 32 bits behind the point and below one. */
#define MINUS(c, f, v) ((c) - (((f) * (v)) >> 32))

/* e = exp(−y) and 1 − e, each with a small relative error. */
static inline __attribute__((always_inline)) void decay(struct real y, struct real *e, struct real *rest)
{
	/* e^-64 is less than the least window over the greatest. */
	u64 q = fixed(y, 32, 64 * ONE);
	if (q < ONE / 4) {
		/* (1 − e^−y)/y = 1 − y/2·(1 − y/3·(1 − …)); without the next term it is off by y^7/8!, 2e-9 of it. */
		u64 v = MINUS(ONE, q / 7, ONE);
		v = MINUS(ONE, q / 6, v);
		v = MINUS(ONE, q / 5, v);
		v = MINUS(ONE, q / 4, v);
		v = MINUS(ONE, q / 3, v);
		v = MINUS(ONE, q / 2, v);
		*rest = times(y, normal(v, -32));
		*e = normal(ONE - fixed(*rest, 32, ONE), -32);
		return;
	}
	/* 2^−z with z = y·log2(e): a shift, and Taylor's series for the part of z below one (coefficients ln2^k/k!; the ninth is 1e-7). */
	u64 z = (q * 24204406ULL) >> 24;
	u64 f = z & (ONE - 1);
	u64 v = MINUS(65510ULL, f, 5676ULL);
	v = MINUS(661577ULL, f, v);
	v = MINUS(5726720ULL, f, v);
	v = MINUS(41309550ULL, f, v);
	v = MINUS(238388332ULL, f, v);
	v = MINUS(1031764991ULL, f, v);
	v = MINUS(2977044472ULL, f, v);
	*e = normal(MINUS(ONE, f, v), -32 - (int)(z >> 32));
	*rest = normal(ONE - fixed(*e, 32, ONE), -32);
}

/* The window after `ns`, from `window`, both in 2^-20 segments, for the logistic law that grows by `growth` [2^-32/s] at first and ends at
 * `equilibrium` [2^-20 segments]. */
static inline __attribute__((always_inline)) u64 window_step(u64 window, u64 equilibrium, u64 growth, u64 ns)
{
	/* 2^-32 · 1e-9. */
	struct real unit = { 2305843009ULL, -93 };
	struct real e, rest;
	if (ns > LONGEST_STEP)
		ns = LONGEST_STEP;
	if (equilibrium == 0)
		equilibrium = 1;
	decay(times(times(normal(growth, 0), normal(ns, 0)), unit), &e, &rest);
	struct real w = normal(window, 0);
	struct real below = plus(e, times(over(w, normal(equilibrium, 0)), rest));
	if (window == 0 || below.m == 0)
		return 0;
	return fixed(over(w, below), 0, MOST_WINDOW);
}

#endif
