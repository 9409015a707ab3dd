/* The kernel's half of TCP Symbiosis: a congestion control in BPF (struct_ops).
 *
 * It tells the agent what happens (records), and does what the agent's last word says: the window moves by the word's law from ACK to ACK,
 * and packets leave at the distances of the word's plan. Where nothing valid is known – before the first result, after a congestion event
 * that the agent has not heard of, without an agent – it is Reno, by the kernel's own functions. Loss recovery is the kernel's.
 *
 * Only clang and libbpf are needed: what is used of the kernel's structs and helpers is declared here, and relocated when it is loaded.
 */
#include "window.h"
#include "shared.h"

typedef unsigned char u8;
typedef unsigned short u16;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))
#define INLINE static inline __attribute__((always_inline))

char _license[] SEC("license") = "Dual MIT/GPL";

/* ---- the kernel's ---- */

struct sock_common {
	u16 skc_family;
	u16 skc_dport;
	u16 skc_num;
	u32 skc_daddr;
} RELOCATED;

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;
	u32 sk_pacing_status;
} RELOCATED;

struct inet_connection_sock {
	u64 icsk_ca_priv[13];
} RELOCATED;

struct tcp_sock {
	u32 snd_cwnd;
	u32 snd_cwnd_clamp;
	u32 snd_ssthresh;
	u32 snd_nxt;
	u32 snd_una;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 total_retrans;
	u32 mss_cache;
	u16 tcp_header_len;
	u32 srtt_us;
	u32 app_limited;
	u8 chrono_type;
	u64 bytes_acked;
	u64 tcp_clock_cache;
} RELOCATED;

struct ack_sample {
	u32 pkts_acked;
	int rtt_us;
	u32 in_flight;
} RELOCATED;

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 new_state);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

extern u32 tcp_reno_undo_cwnd(struct sock *sk) __attribute__((section(".ksyms")));
extern void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) __attribute__((section(".ksyms")));

/* <linux/bpf.h>, <net/tcp.h>, <net/sock.h>, <linux/tcp.h>: all of them never change. */
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static void *(*bpf_ringbuf_reserve)(void *ringbuf, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_F_NO_PREALLOC 1
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CA_CWR 2
#define TCP_CA_RECOVERY 3
#define TCP_CA_LOSS 4
#define TCP_CHRONO_RWND_LIMITED 2
#define TCP_CHRONO_SNDBUF_LIMITED 3
#define SK_PACING_NEEDED 1
#define AF_INET 2
#define UNLIMITED (~0UL)

/* ---- constants of ours ---- */

/* Reno and we let no loss take a window below this [segments] (RFC 5681 Eq 4). */
#define LEAST_WINDOW 2
/* An agent that was not there for so long is not there [ns]: it beats ten times as often. */
#define ALIVE 1000000000ULL
/* The agent is woken no more often [ns]: what it says holds from ACK to ACK, and waking it costs more than an ACK. */
#define WAKE 500000ULL
/* No pacing below this distance [ns]: setting the timer takes a good part of it. 1.2 Gbit/s with full packets. */
#define LEAST_GAP 10000ULL
/* Nothing is told of faster packets [ns]: no timer spaces them, a network card hands them up in batches, and the agent would not keep up. */
#define LEAST_TOLD 2500ULL
/* Who waits for longer than this part of the round-trip time waits for ACKs: a word may end the wait, and no timer could be taken back. */
#define LONG_WAIT 4

/* ---- maps; their names are how a new agent finds them ---- */

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
	struct word *value;
} symb_words SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, 1);
	u32 *key;
	struct board *value;
} symb_board SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, 1);
	u32 *key;
	struct agent *value;
} symb_agent SEC(".maps");

/* What the kernel's half remembers of a socket, in the 104 bytes that TCP has there for its congestion control. */
struct own {
	u64 id;
	u64 origin;    /* the byte that numbers count from */
	u64 window;    /* [2^-20 segments] */
	u64 acked_at;  /* when the window moved last; zero before any ACK */
	u64 looked_at; /* when the sender last looked for something to send: if it found some, its departure */
	u64 nxt;       /* the first byte that had never left then */
	u32 resent;    /* segments that had left again then */
	u32 serial;    /* of the last word that was heeded */
	u32 losses;    /* congestion events */
	u32 before;    /* the window before the last of them [segments] */
	u32 state;     /* of recovery */
	u32 reduced;   /* a loss has taken from the window and is not told yet */
};
_Static_assert(sizeof(struct own) <= 104, "struct own must fit icsk_ca_priv");

INLINE struct own *own(struct sock *sk)
{
	return (struct own *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

INLINE struct board *board(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&symb_board, &zero);
}

INLINE int agent_is_there(u64 now)
{
	u32 zero = 0;
	struct agent *a = bpf_map_lookup_elem(&symb_agent, &zero);
	return a && a->beat + ALIVE > now;
}

INLINE u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

INLINE u64 nxt_of(const struct tcp_sock *tp, const struct own *o)
{
	return tp->bytes_acked + (u32)(tp->snd_nxt - tp->snd_una) - o->origin;
}

/* Something else than the window holds the sender back. */
INLINE int is_limited(const struct tcp_sock *tp)
{
	u32 chrono = tp->chrono_type & 3;
	return tp->app_limited || chrono == TCP_CHRONO_RWND_LIMITED || chrono == TCP_CHRONO_SNDBUF_LIMITED;
}

/* The word that holds, if there is one. */
INLINE struct word *word_of(struct own *o, u64 now)
{
	u64 id = o->id;
	struct word *word = bpf_map_lookup_elem(&symb_words, &id);
	if (!word || word->expires < now || word->losses != o->losses)
		return 0;
	return word;
}

/* ---- telling the agent ---- */

/* Whether packets come slowly enough to be told of. */
INLINE int may_tell(const struct tcp_sock *tp)
{
	u64 rtt = (u64)(tp->srtt_us >> 3) * 1000;
	return rtt >= tp->snd_cwnd * LEAST_TOLD;
}

INLINE void tell(struct sock *sk, struct own *o, u32 kind, u64 at, u64 from, u32 count, int rtt_us)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	struct board *b = board();
	u64 now = tp->tcp_clock_cache, wake = BPF_RB_NO_WAKEUP;
	if (!b || !agent_is_there(now))
		return;
	struct record *r = bpf_ringbuf_reserve(&symb_records, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&b->dropped, 1);
		return;
	}
	u32 recovering = o->state == TCP_CA_CWR || o->state == TCP_CA_RECOVERY;
	r->id = o->id;
	r->at = at;
	r->from = from;
	r->una = tp->bytes_acked - o->origin;
	r->nxt = nxt_of(tp, o);
	r->kind = kind;
	r->flags = (is_limited(tp) ? APP_LIMITED : 0) | (recovering ? RECOVERING : 0);
	r->count = count;
	r->rtt_us = rtt_us;
	r->cwnd = tp->snd_cwnd;
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
	if (now - b->woken >= WAKE) {
		b->woken = now;
		wake = BPF_RB_FORCE_WAKEUP;
	}
	bpf_ringbuf_submit(r, wake);
}

/* What has left since the sender last looked left then. */
INLINE void tell_departures(struct sock *sk, struct own *o)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u64 nxt = nxt_of(tp, o);
	u32 resent = tp->total_retrans;
	if (nxt > o->nxt) {
		tell(sk, o, SENT, o->looked_at, o->nxt, 0, -1);
		o->nxt = nxt;
	}
	if (resent != o->resent) {
		tell(sk, o, RESENT, o->looked_at, 0, resent - o->resent, -1);
		o->resent = resent;
	}
}

/* ---- the congestion control ---- */

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
		u64 rtt = (u64)(tp->srtt_us >> 3) * 1000;
		if (regardless)
			window = window > flight ? window : flight + 1;
		else if (word->held_until > now + rtt / LONG_WAIT)
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
