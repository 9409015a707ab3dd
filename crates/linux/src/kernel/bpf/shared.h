/* What the kernel's half and the agent tell each other. `layout.rs` is the same in Rust; a test holds the two together. */
#ifndef SYMBIOSIS_SHARED_H
#define SYMBIOSIS_SHARED_H

/* What a record tells. */
#define SENT 0    /* bytes `from` … `nxt` left for the first time, at `at` */
#define RESENT 1  /* `count` segments left again */
#define ACKED 2   /* an ACK came */
#define REDUCED 3 /* a loss was found by duplicate or selective ACKs */
#define MARKED 4  /* a congestion mark came back */
#define TIMEOUT 5 /* the retransmission timer expired */
#define CLOSED 6  /* the connection is no more, or no more ours */

/* What of a record's `flags` holds. */
#define APP_LIMITED 1 /* something else than the window held the sender back */
#define RECOVERING 2  /* loss recovery is under way */

struct record {
	u64 id;         /* of the socket */
	u64 at;         /* CLOCK_MONOTONIC [ns] */
	u64 from;       /* SENT: the first byte that left */
	u64 una;        /* the first byte that is not acknowledged, counted from where the socket began */
	u64 nxt;        /* the first byte that has never left */
	u32 kind;
	u32 flags;
	u32 count;      /* RESENT: segments */
	int rtt_us;     /* ACKED: of the latest packet that it tells of; below zero where none was measured */
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

/* What rules the window. */
#define LAW_RENO 0     /* nothing is known */
#define LAW_STILL 1    /* it stays what the word says */
#define LAW_LOGISTIC 2 /* `window_step` */

/* Packets whose departures are told ahead. */
#define PLAN 64

struct word {
	u64 expires;     /* CLOCK_MONOTONIC [ns]; after this nothing holds */
	u64 at;          /* the ACK after which `window` was the window [ns] */
	u64 window;      /* [2^-20 segments] */
	u64 start;       /* slow start below this [2^-20 segments] */
	u64 equilibrium; /* [2^-20 segments] */
	u64 growth;      /* [2^-32/s] */
	u64 kept;        /* what a loss leaves of the window at least [2^-20 segments] */
	u64 held_until;  /* if not zero, no packet leaves before, unless a later word says so [ns] */
	u64 first;       /* the packet that `gaps` begins with: how long after the one before it it leaves */
	u32 serial;      /* another for each word */
	u32 losses;      /* congestion events that the agent has heard of */
	u32 law;
	u32 gap;         /* between packets that are not in `gaps` [ns] */
	/* [ns]; the lowest bit: leaves at its time whatever is in flight. */
	u32 gaps[PLAN];
};

/* One each for all sockets: what the kernel's half writes, */
struct board {
	u64 next_id; /* of the next socket */
	u64 woken;   /* when the agent was last woken [ns] */
	u64 dropped; /* records for which there was no room */
};

/* and what the agent writes. */
struct agent {
	u64 beat;  /* when it was last there, CLOCK_MONOTONIC [ns] */
	u64 build; /* of which sources the program is */
};

#endif
