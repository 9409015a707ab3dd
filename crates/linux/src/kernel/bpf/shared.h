/* What the BPF program and the agent exchange. `layout.rs` is the same in Rust; a test compares the two. */
#ifndef SYMBIOSIS_SHARED_H
#define SYMBIOSIS_SHARED_H

/* Kinds of records. */
#define SENT 0    /* bytes `from` … `nxt` left for the first time, at `at` */
#define RESENT 1  /* `count` segments were retransmitted */
#define ACKED 2   /* an ACK arrived */
#define REDUCED 3 /* duplicate or selective ACKs revealed a loss */
#define MARKED 4  /* a congestion mark came back */
#define TIMEOUT 5 /* the retransmission timer expired */
#define CLOSED 6  /* the connection ended, or chose another congestion control */
#define UNDONE 7  /* the last congestion event was none: its packets were late, not lost */

/* Bits of a record's `flags`. */
#define APP_LIMITED 1 /* something else than the window limits the sender */
#define RECOVERING 2  /* loss recovery is under way */
#define UNDECIDED 4   /* no decision of the agent holds: the kernel's Reno moves the window */
#define TOO_FAST 8    /* packets come too fast to be reported one by one: this ACK is, and none in the next REPORTS_SILENT */

/* A silent socket reports one ACK in so long [ns]. */
#define REPORTS_SILENT 100000000ULL

struct record {
	u64 id;         /* of the socket */
	u64 at;         /* CLOCK_MONOTONIC [ns] */
	u64 sent_at;    /* ACKED: when the bytes `from` to `nxt` left, if there are any: after what was told before, and before `at` [ns] */
	u64 from;       /* SENT and ACKED: the first byte that left and was not told of */
	u64 una;        /* the first byte that is not acknowledged, counted from where the socket began */
	u64 nxt;        /* the first byte that has never left */
	u32 kind;
	u32 flags;
	u32 count;      /* RESENT: segments */
	int rtt_us;     /* ACKED: of the latest packet that it acknowledges; negative where none was measured */
	u32 cwnd;       /* segments */
	u32 ssthresh;   /* segments */
	u32 in_flight;  /* segments */
	u32 sacked;     /* segments that are acknowledged above a gap */
	u32 srtt_us;
	u32 mss;        /* payload of a full segment [bytes] */
	u32 overhead;   /* headers of a segment, IP's included [bytes] */
	u32 losses;     /* congestion events so far, that of this record included */
	u32 local_port;
	u32 remote_port;
	u32 remote_ip;  /* IPv4, network byte order; zero for IPv6 */
	u32 family;
};

/* What moves the window. */
#define LAW_RENO 0  /* the kernel's own Reno: the controller knows too little of the path */
#define LAW_TABLE 1 /* the controller's own law, sampled: `after`, `window` */

/* A decision holds for so long, or for two round-trip times if those are more [ns]. No packet waits longer. */
#define HOLDS 300000000ULL
/* Packets whose departures a decision contains. */
#define PLAN 64
/* Samples of the window. */
#define POINTS 8

struct decision {
	u64 expires;    /* CLOCK_MONOTONIC [ns]; afterwards nothing holds */
	u64 at;         /* the last ACK that the agent knew of [ns] */
	u64 slow_start; /* below this the window grows by what is acknowledged [2^-20 segments] */
	u64 held_until; /* if not zero, no packet leaves before, unless a later decision says so [ns] */
	u64 first;      /* the byte at which the packet begins that `gaps` begins with */
	u64 rests;      /* until then the agent hears one ACK in REPORTS_SILENT, and the kernel's Reno rules [ns]; zero: it does not rest */
	u32 serial;     /* differs between any two decisions */
	u32 losses;     /* congestion events that the agent knew of */
	u32 law;
	u32 gap;        /* between packets that are not in `gaps` [ns]; zero: the window alone limits them */
	u32 kept;       /* what a loss leaves of the window [2^-16 of it] */
	u32 after[POINTS];  /* times of the samples after `at`, ascending [ns] */
	u32 looks;  /* not zero: the agent looks by itself, and records need not wake it */
	u64 window[POINTS]; /* samples of the window [2^-20 segments] */
	/* Distance of each packet to the one before it [ns]; the lowest bit: it leaves at its time, whatever is in flight. */
	u32 gaps[PLAN];
};

/* One each for all sockets. The BPF program writes: */
struct stats {
	u64 last_id; /* of the latest socket; the first has 1 */
	u64 woken;   /* when the agent was last woken [ns] */
	u64 dropped; /* records that found no room */
};

/* The agent writes: */
struct agent {
	u64 heartbeat; /* when the agent last ran, CLOCK_MONOTONIC [ns] */
	u64 build;     /* of which sources the program is */
};

#endif
