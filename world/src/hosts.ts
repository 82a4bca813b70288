/** Mail hosts made to order, for matrices and fuzzing. `alive` is the mailbox that exists. */
import type { HostDescription } from './description.ts';
import type { Fault, Injection, Phase } from './smtp/fault.ts';
import type { TlsFault } from './smtp/tls-fault.ts';

const mailboxes = { alive: 'exists' } as const;

/** One cell of the matrix: the fault strikes in that phase and in no other. */
export function faultHost(phase: Phase, fault: Fault, dripEveryMs = 1_000): HostDescription {
  const at = { phase, fault, dripEveryMs };
  return { mailboxes, temper: phase === 'starttls' ? { starttls: 'demanded', fault: at } : { fault: at } };
}

/** STARTTLS goes wrong, at a host that insists on it or at one that only offers it. */
export function tlsFaultHost(
  tlsFault: TlsFault,
  starttls: 'demanded' | 'offered' = 'demanded',
): HostDescription {
  return { mailboxes, temper: { starttls, tlsFault } };
}

/** A reply nobody asked for, in plaintext or inside TLS. */
export function injectedHost(injection: Injection, over: 'plaintext' | 'tls' = 'plaintext'): HostDescription {
  if (over === 'plaintext') return { mailboxes, temper: { injection } };
  return { mailboxes, temper: { starttls: 'demanded', injection: { ...injection, insideTls: true } } };
}

/** Replies replaced or mangled from the seed; a quarter of the seeds each without PIPELINING or with TLS. */
export function fuzzHost(seed: number): HostDescription {
  const kind = Math.abs(seed) % 4;
  return {
    mailboxes,
    temper: {
      fuzzSeed: seed,
      pipelining: kind !== 1,
      ...(kind === 2 ? { starttls: 'demanded' } : {}),
    },
  };
}
