/* The kernel's structs, helpers and constants that the program uses, so that it needs nothing but clang and libbpf. Fields of structs are
 * located when the program is loaded; helpers and constants never change (<linux/bpf.h>, <linux/tcp.h>, <net/sock.h>, <net/tcp.h>). */
#ifndef SYMBIOSIS_KERNEL_H
#define SYMBIOSIS_KERNEL_H

#include "window.h"

typedef unsigned char u8;
typedef unsigned short u16;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))
#define INLINE static inline __attribute__((always_inline))

/* An unsigned field that some kernels have as bits of a byte: where it is, and how far to shift it, is filled in when the program is loaded. */
#define FIELD_BYTE_OFFSET 0
#define FIELD_LSHIFT_U64 4
#define FIELD_RSHIFT_U64 5
#define BITS_OF_BYTE(s, field)                                                                          \
	({                                                                                              \
		const u8 *at = (const u8 *)(s) + __builtin_preserve_field_info((s)->field, FIELD_BYTE_OFFSET); \
		asm volatile("" : "+r"(at));                                                            \
		(u32)((u64)*at << __builtin_preserve_field_info((s)->field, FIELD_LSHIFT_U64)           \
		      >> __builtin_preserve_field_info((s)->field, FIELD_RSHIFT_U64));                  \
	})

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
	u8 sk_pacing_shift;
	u16 sk_gso_max_segs;
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
	u64 tcp_wstamp_ns;
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
#define BPF_NOEXIST 1
#define BPF_RB_NO_WAKEUP 1
#define BPF_RB_FORCE_WAKEUP 2
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CA_CWR 2
#define TCP_CA_RECOVERY 3
#define TCP_CA_LOSS 4
#define TCP_CHRONO_RWND_LIMITED 2
#define TCP_CHRONO_SNDBUF_LIMITED 3
#define SK_PACING_NONE 0
#define SK_PACING_NEEDED 1
#define AF_INET 2
#define UNLIMITED (~0UL)

#endif
