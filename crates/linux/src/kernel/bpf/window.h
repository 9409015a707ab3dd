/* The window between the samples of a decision, in integers: for BPF, which has no floats, no signed division and no 128 bits; and for the
 * host, where tests compare it with the straight line between the samples in f64. */
#ifndef SYMBIOSIS_WINDOW_H
#define SYMBIOSIS_WINDOW_H

typedef unsigned long long u64;
typedef unsigned int u32;

#include "shared.h"

/* Windows count segments of full size, with this many bits for parts of one. */
#define WINDOW_BITS 20
/* No window is larger: 2^27 segments, 128 times what TCP's window field can name (2^30 bytes) in segments of 1 kB. */
#define MOST_WINDOW ((1ULL << 47) - 1)

/* A point between two samples, `since` of `span` ns after the first. Of the share of the span 16 bits are kept, so that no product
 * exceeds 47 + 16 bits. */
static inline __attribute__((always_inline)) u64 between(u64 low, u64 high, u64 since, u64 span)
{
	u64 share = span ? (since << 16) / span : 0;
	if (high >= low)
		return low + (((high - low) * share) >> 16);
	return low - (((low - high) * share) >> 16);
}

/* The window `since` ns after the decision's last ACK: on the straight line between the samples around it; after the last it stands still. */
static inline __attribute__((always_inline)) u64 window_after(const struct decision *d, u64 since)
{
	u64 window = d->window[0] < MOST_WINDOW ? d->window[0] : MOST_WINDOW;
	u64 left = window;
	u64 begin = d->after[0];
	for (int i = 1; i < POINTS; i++) {
		u64 end = d->after[i];
		u64 right = d->window[i] < MOST_WINDOW ? d->window[i] : MOST_WINDOW;
		if (since >= end)
			window = right;
		else if (since >= begin)
			window = between(left, right, since - begin, end - begin);
		left = right;
		begin = end;
	}
	return window;
}

/* The window after an ACK of `acked` segments that arrives `since` ns after the decision's last ACK; `before` it was `old`. */
static inline __attribute__((always_inline)) u64 window_step(const struct decision *d, u64 old, u32 acked, u64 since)
{
	u64 window = window_after(d, since);
	if (old < d->slow_start && d->window[0] < d->slow_start) {
		/* Slow start goes by ACKs, and the kernel counts those that the agent has not heard of. */
		u64 grown = old + ((u64)acked << WINDOW_BITS);
		if (grown > d->slow_start)
			grown = d->slow_start;
		if (grown > window)
			window = grown;
	}
	return window;
}

#endif
