/* The BPF program: a congestion control (struct_ops) that obeys an agent in user space.
 *
 * It reports events to the agent (records), and obeys the agent's last decision: the window follows the samples of the controller's window
 * from ACK to ACK, and packets leave at the distances of the plan. Where no decision holds (before the first one, after a congestion event
 * that the agent has not heard of, without an agent) the kernel's own Reno rules, without pacing. Loss recovery is the kernel's.
 *
 * No plan delays a packet for longer than a round-trip time, nor than HOLDS: every window is at least one packet, so no controller means to
 * send less than one in a round trip, and whatever a decision says holds for no longer.
 */
#include "events.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* No loss takes a window below this [segments] (RFC 5681 Eq 4). */
#define LEAST_WINDOW 2
/* TCP's pacing timer is not set for less [ns]: setting it takes a good part of that. 1.2 Gbit/s with full packets. */
#define LEAST_GAP 10000ULL
/* The least number of segments in a burst, and the most: Linux' default (sysctl tcp_min_tso_segs), and 64 kB of at least 1000 bytes each. */
#define LEAST_BURST 2
#define MOST_BURST 64

SEC("struct_ops/symbiosis_init")
void symbiosis_init(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	struct stats *st = stats();
	if (!st)
		return;
	o->id = __sync_fetch_and_add(&st->last_id, 1) + 1;
	o->origin = tp->bytes_acked + (u32)(tp->snd_nxt - tp->snd_una);
	o->window = (u64)tp->snd_cwnd << WINDOW_BITS;
	o->acked_at = 0;
	o->looked_at = tp->tcp_clock_cache;
	o->nxt = 0;
	o->told = 0;
	o->left_at = 0;
	o->silent = 0;
	o->resent = tp->total_retrans;
	o->serial = 0;
	o->losses = 0;
	o->before = tp->snd_cwnd;
	o->state = 0;
	o->reduced = 0;
	o->narrowed = 0;
	sk->sk_pacing_status = SK_PACING_NEEDED;
	sk->sk_pacing_rate = UNLIMITED;
	remember(o);
}

SEC("struct_ops/symbiosis_release")
void symbiosis_release(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct own *o = own(sk);
	u64 id = o->id;
	/* Some kernels, 6.12 among them, release also what was never initialized: who listens. */
	if (id == 0)
		return;
	report(sk, o, CLOSED, bpf_ktime_get_ns(), 0, 0, -1);
	bpf_map_delete_elem(&symb_decisions, &id);
}

SEC("struct_ops/symbiosis_pkts_acked")
void symbiosis_pkts_acked(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct ack_sample *sample = (struct ack_sample *)ctx[1];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u64 now = tp->tcp_clock_cache;
	u32 flags = 0;
	if (is_silent(tp, o, now))
		return;
	if (too_fast(tp, o)) {
		flags = TOO_FAST;
		o->silent = now + REPORTS_SILENT;
		o->nxt = nxt_of(tp, o);
		o->told = o->nxt;
	} else {
		note_departures(sk, o);
	}
	report(sk, o, ACKED, now, flags, 0, sample->rtt_us);
}

/* snd_cwnd becomes the window again, where a plan has narrowed it. */
INLINE void widen(struct tcp_sock *tp, struct own *o)
{
	if (o->narrowed) {
		u64 window = o->window >> WINDOW_BITS;
		window = window > LEAST_WINDOW ? window : LEAST_WINDOW;
		tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
		o->narrowed = 0;
	}
}

/* Silence begins, where the agent rests. */
INLINE void rests(struct own *o, const struct decision *d, u64 now)
{
	if (d && d->rests > now)
		o->silent = d->rests < now + REPORTS_SILENT ? d->rests : now + REPORTS_SILENT;
}

SEC("struct_ops/symbiosis_cong_avoid")
void symbiosis_cong_avoid(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u64 now = tp->tcp_clock_cache;
	struct decision *d = is_silent(tp, o, now) ? 0 : decision_of(o, now);
	widen(tp, o);
	rests(o, d, now);
	if (d && d->law == LAW_TABLE) {
		u64 window = window_step(d, o->window, (u32)ctx[2], now > d->at ? now - d->at : 0);
		/* A window that does not limit the sender has no reason to grow. */
		if (window > o->window && is_limited(tp))
			window = o->window;
		if (window < (u64)LEAST_WINDOW << WINDOW_BITS)
			window = (u64)LEAST_WINDOW << WINDOW_BITS;
		o->window = window;
		o->serial = d->serial;
		window >>= WINDOW_BITS;
		tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
		/* Where the kernel's Reno takes over, it goes on from here: it has no reason to double a window that was right. */
		if (o->window >= d->slow_start)
			tp->snd_ssthresh = tp->snd_cwnd;
	} else {
		tcp_reno_cong_avoid(sk, (u32)ctx[1], (u32)ctx[2]);
		o->window = (u64)tp->snd_cwnd << WINDOW_BITS;
	}
	o->acked_at = now;
}

SEC("struct_ops/symbiosis_ssthresh")
u32 symbiosis_ssthresh(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	struct decision *d = is_silent(tp, o, tp->tcp_clock_cache) ? 0 : decision_of(o, tp->tcp_clock_cache);
	u32 cwnd = window_of(tp, o);
	u32 left = cwnd >> 1;
	if (d && d->law == LAW_TABLE) {
		u64 kept = d->kept < (1 << 16) ? d->kept : 1 << 16;
		cwnd = (u32)(o->window >> WINDOW_BITS);
		left = (u32)((cwnd * kept) >> 16);
	}
	if (left < LEAST_WINDOW)
		left = LEAST_WINDOW;
	o->before = cwnd;
	o->reduced = 1;
	o->narrowed = 0;
	o->window = (u64)left << WINDOW_BITS;
	return left;
}

SEC("struct_ops/symbiosis_set_state")
void symbiosis_set_state(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u32 state = (u8)ctx[1];
	u32 kind = state == TCP_CA_LOSS ? TIMEOUT : state == TCP_CA_RECOVERY ? REDUCED : MARKED;
	if (state >= TCP_CA_CWR && (o->reduced || state == TCP_CA_LOSS)) {
		note_departures(sk, o);
		o->losses += 1;
		if (kind != REDUCED && o->reduced) {
			/* A timeout and a mark leave half. */
			u32 half = o->before >> 1;
			half = half > LEAST_WINDOW ? half : LEAST_WINDOW;
			tp->snd_ssthresh = half;
			o->window = (u64)half << WINDOW_BITS;
		}
		report(sk, o, kind, tp->tcp_clock_cache, 0, 0, -1);
	}
	if (state >= TCP_CA_CWR)
		/* Recovery sets snd_cwnd itself, ACK by ACK, and its packets are not planned. */
		sk->sk_pacing_rate = UNLIMITED;
	o->reduced = 0;
	o->state = state;
}

SEC("struct_ops/symbiosis_undo_cwnd")
u32 symbiosis_undo_cwnd(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u32 cwnd = tcp_reno_undo_cwnd(sk);
	report(sk, o, UNDONE, tp->tcp_clock_cache, 0, 0, -1);
	/* A plan may have narrowed snd_cwnd when the loss was found. */
	if (cwnd < o->before)
		cwnd = o->before;
	o->window = (u64)cwnd << WINDOW_BITS;
	return cwnd;
}

/* The distance to the one before it of the packet that begins at byte `from`: the plan's entry, if it has one, else that of all others. */
INLINE u32 planned(const struct decision *d, u64 from, u32 mss)
{
	u64 at = (from - d->first) / mss;
	if (from < d->first || at >= PLAN)
		return d->gap & ~1U;
	return d->gaps[at & (PLAN - 1)];
}

/* Where the device takes single packets (gso_max_segs 1): how long after the next packet the one after it leaves. */
INLINE void place(struct sock *sk, struct own *o, const struct decision *d, u64 longest, u64 now)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u32 mss = tp->mss_cache;
	u64 window = window_of(tp, o), flight = in_flight(tp);
	u32 ignores_window = planned(d, o->nxt, mss) & 1, next = planned(d, o->nxt + mss, mss);
	u64 gap = next & ~1U;
	if (next & 1)
		gap = gap > 1 ? gap : 1;
	else if (d->law == LAW_RENO && window > 0 && gap > longest / (2 * window))
		/* The agent's distance is that of a window it knew, and slow start doubles windows in a round trip. */
		gap = longest / (2 * window);
	if (!(next & 1) && gap < LEAST_GAP)
		gap = 0;
	gap = gap < longest ? gap : longest;
	sk->sk_pacing_rate = gap ? (u64)mss * 1000000000 / gap : UNLIMITED;
	/* Reno's packets leave ACK by ACK, never two together; but a pair must, or K would not be known before a loss gave room for one. */
	if (flight == 0 || (d->law == LAW_RENO && !ignores_window)) {
		widen(tp, o);
		return;
	}
	if (!o->narrowed)
		o->window = window << WINDOW_BITS;
	if (ignores_window)
		window = window > flight ? window : flight + 1;
	else if (d->held_until > now)
		window = flight;
	tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
	o->narrowed = 1;
}

/* Two bursts leave at once where the plan has two packets leave back to back and the second begins a burst: how far apart they arrive tells K, as it does of
 * packets, also where bursts pass whole. Without pacing for this once, and at the usual rate, by which the kernel chooses how long they are. */
INLINE int pairs(struct sock *sk, struct own *o, const struct decision *d, u64 gap, u64 now)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u64 mss = tp->mss_cache, window = window_of(tp, o), rate, burst, most;
	u32 next;
	if (gap == 0)
		return 0;
	rate = mss * 1000000000 / gap;
	burst = (rate >> sk->sk_pacing_shift) / mss;
	most = sk->sk_gso_max_segs < MOST_BURST ? sk->sk_gso_max_segs : MOST_BURST;
	burst = burst < LEAST_BURST ? LEAST_BURST : burst > most ? most : burst;
	next = planned(d, o->nxt + burst * mss, mss);
	/* Not sooner than pacing would have it: the kernel's time of departure is that one. And no more than half of the window. */
	if (!(next & 1) || next > LEAST_GAP || tp->tcp_wstamp_ns > now || 4 * burst > window)
		return 0;
	sk->sk_pacing_status = SK_PACING_NONE;
	sk->sk_pacing_rate = rate;
	o->window = window << WINDOW_BITS;
	o->narrowed = 1;
	window = in_flight(tp) + 2 * burst;
	tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
	return 1;
}

/* Elsewhere packets leave in bursts, whose length the kernel chooses: no packet has a distance of its own, but all have a rate. A rate that
 * is meant for one packet would delay what follows a burst by as many distances as the burst has segments; so this one is the rate of all,
 * and a burst of half a window, which is the longest that Linux makes, delays what follows by no more than `longest`. */
INLINE void pace(struct sock *sk, struct own *o, const struct decision *d, u64 longest, u64 now)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u64 mss = tp->mss_cache, flight = in_flight(tp), window = window_of(tp, o), burst = window / 2;
	u64 gap = d->law == LAW_TABLE ? d->gap : 0;
	widen(tp, o);
	if (pairs(sk, o, d, gap ? gap : longest / (window ? window : 1), now))
		return;
	/* What the host has held back, by more than two bursts, is made up for at twice the rate: a rate that just fills the window needs ten round
	 * trips for it, in which the next is held back. */
	if (window > flight + 2 * LEAST_BURST)
		gap /= 2;
	burst = burst < 1 ? 1 : burst > MOST_BURST ? MOST_BURST : burst;
	if (gap > longest / burst)
		gap = longest / burst;
	sk->sk_pacing_rate = gap ? mss * 1000000000 / gap : UNLIMITED;
}

/* Called before the sender looks for something to send. TCP's pacing delays what follows a packet, or a burst, by its bytes over the
 * pacing rate; the value is the least number of segments that the kernel puts into a burst. */
SEC("struct_ops/symbiosis_min_tso_segs")
u32 symbiosis_min_tso_segs(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u64 now = tp->tcp_clock_cache;
	u64 rtt = (u64)(tp->srtt_us >> 3) * 1000;
	u64 longest = rtt < HOLDS ? rtt : HOLDS;
	struct decision *d;
	/* fq on the device would pace in the qdisc, where a plan cannot reach. */
	sk->sk_pacing_status = SK_PACING_NEEDED;
	if (is_silent(tp, o, now)) {
		sk->sk_pacing_rate = UNLIMITED;
		if (o->state < TCP_CA_CWR)
			widen(tp, o);
		return LEAST_BURST;
	}
	note_departures(sk, o);
	o->looked_at = now;
	d = decision_of(o, now);
	if (o->state >= TCP_CA_CWR || o->acked_at == 0 || !d || tp->mss_cache == 0) {
		/* The first window leaves at once, and so tells of the path after one round trip. Recovery has its own clock, and sets snd_cwnd. */
		sk->sk_pacing_rate = UNLIMITED;
		if (o->state < TCP_CA_CWR)
			widen(tp, o);
		return LEAST_BURST;
	}
	if (sk->sk_gso_max_segs > 1) {
		pace(sk, o, d, longest, now);
		return LEAST_BURST;
	}
	place(sk, o, d, longest, now);
	return 1;
}

SEC(".struct_ops")
struct tcp_congestion_ops symbiosis = {
	.init = (void *)symbiosis_init,
	.release = (void *)symbiosis_release,
	.ssthresh = (void *)symbiosis_ssthresh,
	.cong_avoid = (void *)symbiosis_cong_avoid,
	.set_state = (void *)symbiosis_set_state,
	.pkts_acked = (void *)symbiosis_pkts_acked,
	.min_tso_segs = (void *)symbiosis_min_tso_segs,
	.undo_cwnd = (void *)symbiosis_undo_cwnd,
	.name = "symbiosis",
	.flags = TCP_CONG_NON_RESTRICTED,
};
