/* The state that the BPF program keeps, and how it reports events to the agent. */
#ifndef SYMBIOSIS_EVENTS_H
#define SYMBIOSIS_EVENTS_H

#include "kernel.h"

/* An agent without a heartbeat for this long has ended [ns]: it writes one ten times as often. */
#define ALIVE 1000000000ULL
/* Between two wake-ups of the agent at least this part of a smoothed round-trip time, and least and most [ns]: a decision foresees 10 ms, and
 * a wake-up costs more than an ACK. */
#define WAKE_PART 16
#define LEAST_WAKE 500000ULL
#define MOST_WAKE 2000000ULL
/* Least time between packets that are reported [ns]: no timer spaces faster ones, a network card hands them up in batches, and the agent
 * would not keep up. */
#define LEAST_REPORTED 2500ULL

/* The names of maps are how a new agent finds them. */

#define UINT(name, value) int(*name)[value]

struct {
	UINT(type, BPF_MAP_TYPE_RINGBUF);
	UINT(max_entries, 1 << 22);
} symb_records SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_HASH);
	UINT(map_flags, BPF_F_NO_PREALLOC);
	UINT(max_entries, 1 << 17);
	u64 *key;
	struct decision *value;
} symb_decisions SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, 1);
	u32 *key;
	struct stats *value;
} symb_stats SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, 1);
	u32 *key;
	struct agent *value;
} symb_agent SEC(".maps");

/* The program's state of a socket, in the 104 bytes that TCP reserves for a congestion control. */
struct own {
	u64 id;        /* zero: never initialized */
	u64 origin;    /* the byte that numbers count from */
	u64 window;    /* [2^-20 segments] */
	u64 acked_at;  /* when the window moved last; zero before any ACK */
	u64 looked_at; /* when the sender last looked for something to send: if it found some, its departure */
	u64 nxt;       /* the first byte that had never left then */
	u64 told;      /* the first byte of whose departure the agent has not been told: what left before `nxt` left at `left_at` */
	u64 left_at;
	u64 silent;    /* nothing is reported until then; zero: everything is */
	u32 resent;    /* segments that had been retransmitted then */
	u32 serial;    /* of the last decision that was obeyed; zero: none was */
	u32 losses;    /* congestion events */
	u32 before;    /* the window before the last of them [segments] */
	u32 state;     /* of recovery */
	u32 reduced;   /* a loss has reduced the window and is not reported yet */
	u32 narrowed;  /* snd_cwnd holds the sender to a plan, and is not the window */
};
_Static_assert(sizeof(struct own) <= 104, "struct own must fit icsk_ca_priv");

INLINE struct own *own(struct sock *sk)
{
	return (struct own *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

INLINE struct stats *stats(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&symb_stats, &zero);
}

INLINE int agent_is_alive(u64 now)
{
	u32 zero = 0;
	struct agent *a = bpf_map_lookup_elem(&symb_agent, &zero);
	return a && a->heartbeat + ALIVE > now;
}

INLINE u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

INLINE u64 nxt_of(const struct tcp_sock *tp, const struct own *o)
{
	return tp->bytes_acked + (u32)(tp->snd_nxt - tp->snd_una) - o->origin;
}

/* Something else than the window limits the sender. */
INLINE int is_limited(const struct tcp_sock *tp)
{
	u32 chrono = BITS_OF_BYTE(tp, chrono_type);
	return tp->app_limited || chrono == TCP_CHRONO_RWND_LIMITED || chrono == TCP_CHRONO_SNDBUF_LIMITED;
}

/* The decision that holds, if there is one. */
INLINE struct decision *decision_of(struct own *o, u64 now)
{
	u64 id = o->id;
	struct decision *d = bpf_map_lookup_elem(&symb_decisions, &id);
	if (!d || d->expires < now || d->losses != o->losses)
		return 0;
	return d;
}

/* What a socket has before its first decision. */
static const struct decision nothing = {};

/* A place for the socket's decisions. One that was silent for long has lost its own. */
INLINE void remember(const struct own *o)
{
	u64 id = o->id;
	if (!bpf_map_lookup_elem(&symb_decisions, &id))
		bpf_map_update_elem(&symb_decisions, &id, &nothing, BPF_NOEXIST);
}

/* The window itself, where a plan narrows snd_cwnd [segments]. */
INLINE u32 window_of(const struct tcp_sock *tp, const struct own *o)
{
	return o->narrowed ? (u32)(o->window >> WINDOW_BITS) : tp->snd_cwnd;
}

/* Whether packets come too fast to be reported. */
INLINE int too_fast(const struct tcp_sock *tp, const struct own *o)
{
	u64 rtt = (u64)(tp->srtt_us >> 3) * 1000;
	return rtt > 0 && rtt < window_of(tp, o) * LEAST_REPORTED;
}

/* Whether the socket reports nothing: nobody can measure with it, as the agent said, or the agent would not keep up. It goes by no decision
 * then, and an ACK costs what it costs under Reno. Where silence ends, what left meanwhile is not told. */
INLINE int is_silent(const struct tcp_sock *tp, struct own *o, u64 now)
{
	if (o->silent == 0)
		return 0;
	if (now < o->silent)
		return 1;
	o->silent = 0;
	o->nxt = nxt_of(tp, o);
	o->told = o->nxt;
	o->resent = tp->total_retrans;
	return 0;
}

INLINE void report(struct sock *sk, struct own *o, u32 kind, u64 at, u32 flags, u32 count, int rtt_us)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct stats *st = stats();
	u64 now = tp->tcp_clock_cache, wake = BPF_RB_NO_WAKEUP, pause = (u64)(tp->srtt_us >> 3) * 1000 / WAKE_PART;
	/* The answer to a SYN is acknowledged before the socket is initialized. */
	if (!st || o->id == 0 || !agent_is_alive(now))
		return;
	struct record *r = bpf_ringbuf_reserve(&symb_records, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&st->dropped, 1);
		return;
	}
	struct decision *d = decision_of(o, now);
	if (!d && kind != CLOSED)
		remember(o);
	u32 recovering = o->state == TCP_CA_CWR || o->state == TCP_CA_RECOVERY;
	r->id = o->id;
	r->at = at;
	r->sent_at = o->left_at;
	r->from = o->told;
	r->una = tp->bytes_acked - o->origin;
	r->nxt = o->nxt;
	o->told = o->nxt;
	r->kind = kind;
	r->flags = flags | (is_limited(tp) ? APP_LIMITED : 0) | (recovering ? RECOVERING : 0) | (d ? 0 : UNDECIDED);
	r->count = count;
	r->rtt_us = rtt_us;
	r->cwnd = window_of(tp, o);
	r->ssthresh = tp->snd_ssthresh;
	r->in_flight = in_flight(tp);
	r->sacked = tp->sacked_out;
	r->srtt_us = tp->srtt_us >> 3;
	r->mss = tp->mss_cache;
	r->overhead = tp->tcp_header_len + (sk->__sk_common.skc_family == AF_INET ? 20 : 40);
	r->losses = o->losses;
	r->local_port = sk->__sk_common.skc_num;
	r->remote_port = sk->__sk_common.skc_dport;
	r->remote_ip = sk->__sk_common.skc_family == AF_INET ? sk->__sk_common.skc_daddr : 0;
	r->family = sk->__sk_common.skc_family;
	pause = pause > MOST_WAKE ? MOST_WAKE : pause > LEAST_WAKE ? pause : LEAST_WAKE;
	if (now - st->woken >= pause && !(d && d->looks)) {
		st->woken = now;
		wake = BPF_RB_FORCE_WAKEUP;
	}
	bpf_ringbuf_submit(r, wake);
}

/* What has left since the sender last looked left then. It is told with the next ACK, or when more has left. */
INLINE void note_departures(struct sock *sk, struct own *o)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u64 nxt = nxt_of(tp, o);
	u32 resent = tp->total_retrans;
	if (nxt > o->nxt) {
		if (o->nxt > o->told)
			report(sk, o, SENT, o->left_at, 0, 0, -1);
		o->nxt = nxt;
		o->left_at = o->looked_at;
	}
	if (resent != o->resent) {
		report(sk, o, RESENT, o->looked_at, 0, resent - o->resent, -1);
		o->resent = resent;
	}
}

#endif
