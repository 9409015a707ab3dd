/* The window between the samples of a decision, in integers: for BPF, which has no floats, no signed division and no 128 bits; and for the
 * host, where tests compare it with the straight line between the samples in f64. What the annotations say is proved by a test too (Frama-C): a
 * decision does not change while it is read, since the map has a new one for every update. */
#ifndef SYMBIOSIS_WINDOW_H
#define SYMBIOSIS_WINDOW_H

typedef unsigned long long u64;
typedef unsigned int u32;

#include "shared.h"

/* Windows count segments of full size, with this many bits for parts of one. */
#define WINDOW_BITS 20
/* No window is larger: 2^27 segments, 128 times what TCP's window field can name (2^30 bytes) in segments of 1 kB. */
#define MOST_WINDOW ((1ULL << 47) - 1)

/* Parts of a span that are told apart. */
#define SHARE (1ULL << 16)

/* As much of `whole` as `share` is of SHARE. */
/*@ requires whole <= MOST_WINDOW && share <= SHARE;
  @ assigns \nothing;
  @ ensures \result <= whole;
  @*/
static inline __attribute__((always_inline)) u64 part(u64 whole, u64 share)
{
	return whole * share / SHARE;
}

/* A point between two samples, `since` of `span` ns after the first. Of the share of the span 16 bits are kept, so that no product
 * exceeds 47 + 16 bits. */
/*@ requires low <= MOST_WINDOW && high <= MOST_WINDOW && since < span <= 0xffffffff;
  @ assigns \nothing;
  @ ensures low <= high ==> low <= \result <= high;
  @ ensures high <= low ==> high <= \result <= low;
  @*/
static inline __attribute__((always_inline)) u64 between(u64 low, u64 high, u64 since, u64 span)
{
	u64 share = since * SHARE / span;
	return high >= low ? low + part(high - low, share) : low - part(low - high, share);
}

/* The window `since` ns after the decision's last ACK: on the straight line between the samples around it; after the last it stands still. */
/*@ requires \valid_read(d);
  @ assigns \nothing;
  @ ensures \result <= MOST_WINDOW;
  @*/
static inline __attribute__((always_inline)) u64 window_after(const struct decision *d, u64 since)
{
	u64 window = d->window[0] < MOST_WINDOW ? d->window[0] : MOST_WINDOW;
	u64 left = window;
	u64 begin = d->after[0];
	/*@ loop invariant 1 <= i <= POINTS && window <= MOST_WINDOW && left <= MOST_WINDOW && begin <= 0xffffffff;
	  @ loop assigns i, window, left, begin;
	  @ loop variant POINTS - i;
	  @*/
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

/* The window after an ACK of `acked` segments that arrives `since` ns after the decision's last ACK; before it was `old`, which is never
 * more than what 32 bits of segments make. */
/*@ requires \valid_read(d) && old < 1ULL << 52;
  @ assigns \nothing;
  @ ensures \result <= MOST_WINDOW;
  @*/
static inline __attribute__((always_inline)) u64 window_step(const struct decision *d, u64 old, u32 acked, u64 since)
{
	u64 window = window_after(d, since);
	u64 slow_start = d->slow_start < MOST_WINDOW ? d->slow_start : MOST_WINDOW;
	if (old < slow_start && d->window[0] < slow_start) {
		/* Slow start goes by ACKs, and the kernel counts those that the agent has not heard of. */
		u64 grown = old + (u64)acked * (1ULL << WINDOW_BITS);
		if (grown > slow_start)
			grown = slow_start;
		if (grown > window)
			window = grown;
	}
	return window;
}

#endif
