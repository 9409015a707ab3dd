/* The kernel's half of TCP Symbiosis: a congestion control in BPF (struct_ops).
 *
 * It tells the agent what happens (records), and does what the agent's last word says: the window moves by the word's law from ACK to ACK,
 * and packets leave at the distances of the word's plan. Where nothing valid is known – before the first result, after a congestion event
 * that the agent has not heard of, without an agent – it is Reno, by the kernel's own functions. Loss recovery is the kernel's.
 */
#include "tell.h"

char _license[] SEC("license") = "Dual MIT/GPL";

/* Reno and we let no loss take a window below this [segments] (RFC 5681 Eq 4). */
#define LEAST_WINDOW 2
/* No pacing below this distance [ns]: setting the timer takes a good part of it. 1.2 Gbit/s with full packets. */
#define LEAST_GAP 10000ULL

SEC("struct_ops/symbiosis_init")
void symbiosis_init(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	struct board *b = board();
	struct word none = {};
	u64 id;
	if (!b)
		return;
	id = __sync_fetch_and_add(&b->next_id, 1);
	o->id = id;
	o->origin = tp->bytes_acked + (u32)(tp->snd_nxt - tp->snd_una);
	o->window = (u64)tp->snd_cwnd << WINDOW_BITS;
	o->acked_at = 0;
	o->looked_at = tp->tcp_clock_cache;
	o->nxt = 0;
	o->resent = tp->total_retrans;
	o->serial = 0;
	o->losses = 0;
	o->before = tp->snd_cwnd;
	o->state = 0;
	o->reduced = 0;
	sk->sk_pacing_status = SK_PACING_NEEDED;
	bpf_map_update_elem(&symb_words, &id, &none, 0);
}

SEC("struct_ops/symbiosis_release")
void symbiosis_release(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct own *o = own(sk);
	u64 id = o->id;
	tell(sk, o, CLOSED, bpf_ktime_get_ns(), 0, 0, -1);
	bpf_map_delete_elem(&symb_words, &id);
}

SEC("struct_ops/symbiosis_pkts_acked")
void symbiosis_pkts_acked(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct ack_sample *sample = (struct ack_sample *)ctx[1];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	if (!may_tell(tp)) {
		o->nxt = nxt_of(tp, o);
		return;
	}
	tell_departures(sk, o);
	tell(sk, o, ACKED, tp->tcp_clock_cache, 0, 0, sample->rtt_us);
}

/* One step of the law. */
INLINE void move(struct own *o, const struct word *word, u32 acked, u64 now)
{
	u64 since = now - o->acked_at;
	u64 window = o->window;
	u64 told = word->window;
	/* Or clang merges the two loads into one of either pointer, which the verifier does not take. */
	asm volatile("" : "+r"(window), "+r"(told));
	if (word->serial != o->serial) {
		/* A new word: on from where the agent was. */
		o->serial = word->serial;
		window = told;
		since = now > word->at ? now - word->at : 0;
	}
	if (word->law == LAW_LOGISTIC) {
		if (window < word->start) {
			window += (u64)acked << WINDOW_BITS;
			if (window > word->start)
				window = word->start;
		} else {
			window = window_step(window, word->equilibrium, word->growth, since);
		}
	}
	if (window < (u64)LEAST_WINDOW << WINDOW_BITS)
		window = (u64)LEAST_WINDOW << WINDOW_BITS;
	o->window = window;
}

SEC("struct_ops/symbiosis_cong_avoid")
void symbiosis_cong_avoid(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u64 now = tp->tcp_clock_cache;
	struct word *word = word_of(o, now);
	if (word && word->law != LAW_RENO) {
		u64 window;
		/* While anything is in flight ACKs come within a round trip; what is longer was a pause. */
		u64 rtt = (u64)(tp->srtt_us >> 3) * 1000;
		if (now - o->acked_at > rtt)
			o->acked_at = now - rtt;
		/* A window that does not hold the sender back has no reason to grow. */
		if (!is_limited(tp))
			move(o, word, (u32)ctx[2], now);
		window = o->window >> WINDOW_BITS;
		tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
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
	struct word *word = word_of(o, tp->tcp_clock_cache);
	u32 cwnd = tp->snd_cwnd;
	u32 left = cwnd >> 1;
	if (word && word->law != LAW_RENO) {
		/* Back from what a stream may have added. */
		u64 window = o->window >> WINDOW_BITS;
		u64 kept = word->kept >> WINDOW_BITS;
		if (window < cwnd)
			cwnd = window;
		left = cwnd >> 1;
		if (kept > cwnd)
			kept = cwnd;
		if (kept > left)
			left = kept;
	}
	if (left < LEAST_WINDOW)
		left = LEAST_WINDOW;
	o->before = cwnd;
	o->reduced = 1;
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
		tell_departures(sk, o);
		o->losses += 1;
		if (kind != REDUCED && o->reduced) {
			/* A timeout and a mark keep nothing but half. */
			u32 half = o->before >> 1;
			half = half > LEAST_WINDOW ? half : LEAST_WINDOW;
			tp->snd_ssthresh = half;
			o->window = (u64)half << WINDOW_BITS;
		}
		tell(sk, o, kind, tp->tcp_clock_cache, 0, 0, -1);
	}
	o->reduced = 0;
	o->state = state;
}

SEC("struct_ops/symbiosis_undo_cwnd")
u32 symbiosis_undo_cwnd(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	u32 cwnd = tcp_reno_undo_cwnd(sk);
	own(sk)->window = (u64)cwnd << WINDOW_BITS;
	return cwnd;
}

/* Called before the sender looks for something to send. It says how long after the next packet the one after it may leave, which TCP's pacing
 * keeps: as a rate, for as much payload as the packet has. */
SEC("struct_ops/symbiosis_min_tso_segs")
u32 symbiosis_min_tso_segs(u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct own *o = own(sk);
	u64 now = tp->tcp_clock_cache;
	u32 mss = tp->mss_cache;
	struct word *word;
	if (may_tell(tp))
		tell_departures(sk, o);
	else
		o->nxt = nxt_of(tp, o);
	o->looked_at = now;
	/* fq on the device would pace in the qdisc, where a plan cannot reach. */
	sk->sk_pacing_status = SK_PACING_NEEDED;
	if (o->acked_at == 0) {
		/* The first window leaves at once, and so tells of the path after one round trip. */
		sk->sk_pacing_rate = UNLIMITED;
		return 1;
	}
	word = word_of(o, now);
	if (!word || mss == 0) {
		/* As Linux paces Reno, where a timer can. */
		if (sk->sk_pacing_rate > (u64)mss * 1000000000 / LEAST_GAP)
			sk->sk_pacing_rate = UNLIMITED;
		return 1;
	}
	u64 packet = o->nxt / mss;
	u64 at = packet - word->first;
	u64 gap = word->gap;
	u32 regardless = 0, planned = 0;
	if (packet >= word->first && at < PLAN)
		regardless = word->gaps[at & (PLAN - 1)] & 1;
	if (packet + 1 >= word->first && at + 1 < PLAN) {
		u32 told = word->gaps[(at + 1) & (PLAN - 1)];
		gap = told & ~1U;
		planned = told & 1;
	}
	if (planned)
		gap = gap > 1 ? gap : 1;
	else if (gap < LEAST_GAP)
		gap = 0;
	sk->sk_pacing_rate = gap ? (u64)mss * 1000000000 / gap : UNLIMITED;
	if (word->law != LAW_RENO && o->state < TCP_CA_CWR && in_flight(tp) > 0) {
		u64 window = o->window >> WINDOW_BITS;
		u32 flight = in_flight(tp);
		if (regardless)
			window = window > flight ? window : flight + 1;
		else if (word->held_until > now)
			window = flight;
		tp->snd_cwnd = window < tp->snd_cwnd_clamp ? window : tp->snd_cwnd_clamp;
	}
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
