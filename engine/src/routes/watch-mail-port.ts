import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { networkOf, type NetworkBits } from '../net/network-of.ts';

/**
 * Whether outbound port 25 is open at all. Most clouds keep it closed until asked; then every mail host seems
 * dead, and nothing learnt about any of them is true.
 *
 * open → blocked: at least `mailPortAddresses` addresses in `mailPortNetworks` networks failed within the
 *   window and not one connection came about in it; or a whole round of canaries failed, likewise without a
 *   connection in the window.
 * blocked → open: by one connection, to whomever; or when nothing has been tried for a whole window, since
 *   old news must not keep the service closed.
 *
 * While it is blocked nobody should dial, so nobody would find out that it is open again: `takeTrial` lets
 * one attempt through a minute. Canaries, where the operator names some, find out too.
 */
export type MailPortWatch = {
  note(ip: string, outcome: DialNews): void;
  /** What a round of canaries found. */
  noteCanaries(outcomes: readonly DialNews[]): void;
  isBlocked(): MailPortState;
  /** True at most once a minute while the port is blocked: the caller may dial all the same, and notes what came of it. */
  takeTrial(): boolean;
};

export type DialNews = 'connected' | 'timeout' | 'refused' | 'unreachable';

export type MailPortState = { kind: 'open' } | { kind: 'blocked'; message: string };

type MailPortParts = {
  clock: Clock;
  limits: Pick<
    Limits,
    'mailPortAddresses' | 'mailPortNetworks' | 'mailPortWindowMs' | 'mailPortFailures' | 'mailPortNoticeMs'
  >;
  port: number;
  /** Told that the port is blocked (at most once in `mailPortNoticeMs`), and that it is open again. */
  onProblem(message: string): void;
};

export function createMailPortWatch(parts: MailPortParts): MailPortWatch {
  const { clock, limits } = parts;
  const noFailures = () => createBoundedCache<FailedDial>({ clock, maxEntries: limits.mailPortFailures });
  let failures = noFailures();
  let connectedAt = -Infinity;
  let blocked: { message: string; newsAt: number; trialAt: number } | undefined;
  let toldAt = -Infinity;

  function connected(): void {
    if (blocked !== undefined) parts.onProblem(`outbound port ${parts.port} is open again`);
    failures = noFailures();
    connectedAt = clock.now();
    blocked = undefined;
    toldAt = -Infinity;
  }

  function findBlocked(message: string): void {
    const now = clock.now();
    blocked = { trialAt: blocked?.trialAt ?? now, message, newsAt: now };
    tell(message);
  }
  function tell(message: string): void {
    if (clock.now() - toldAt < limits.mailPortNoticeMs) return;
    toldAt = clock.now();
    parts.onProblem(message);
  }

  const wasConnected = (): boolean => clock.now() - connectedAt < limits.mailPortWindowMs;

  function note(ip: string, outcome: DialNews): void {
    if (outcome === 'connected') {
      connected();
      return;
    }
    failures.set(ip, { outcome, network: networkOf(ip, operatorNetwork) }, limits.mailPortWindowMs);
    if (wasConnected()) return;
    const proof = describeProof(
      failures.list().map(({ value }) => value),
      parts,
    );
    if (proof !== undefined) {
      findBlocked(proof);
      return;
    }
    // A trial that failed: little news, but not old.
    const known = state();
    if (known.kind === 'blocked') findBlocked(known.message);
  }

  function state(): MailPortState {
    if (blocked !== undefined && clock.now() - blocked.newsAt >= limits.mailPortWindowMs) blocked = undefined;
    return blocked === undefined ? { kind: 'open' } : { kind: 'blocked', message: blocked.message };
  }

  return {
    note,
    noteCanaries(outcomes) {
      if (outcomes.includes('connected')) connected();
      // One host may be down; that says nothing of the port.
      else if (outcomes.length >= leastCanaries && !wasConnected())
        findBlocked(describe(`none of ${outcomes.length} canaries gave a connection`, outcomes, parts.port));
    },
    isBlocked() {
      const known = state();
      if (known.kind === 'blocked') tell(known.message);
      return known;
    },
    takeTrial() {
      state();
      if (blocked === undefined || clock.now() - blocked.trialAt < limits.mailPortNoticeMs) return false;
      blocked.trialAt = clock.now();
      return true;
    },
  };
}

const leastCanaries = 2;

/** What one operator usually holds: a /16 of IPv4, a /32 of IPv6. */
const operatorNetwork: NetworkBits = { ipv4: 16, ipv6: 32 };

type FailedDial = { outcome: DialNews; network: string };

function describeProof(failures: readonly FailedDial[], { limits, port }: MailPortParts): string | undefined {
  const networks = new Set(failures.map(({ network }) => network)).size;
  if (failures.length < limits.mailPortAddresses || networks < limits.mailPortNetworks) return undefined;
  const who = `none of ${failures.length} mail hosts in ${networks} networks gave a connection`;
  return describe(
    who,
    failures.map(({ outcome }) => outcome),
    port,
  );
}

/** Time-outs are packets that somebody dropped on the way; an answer that comes at once comes from near by. */
function describe(who: string, outcomes: readonly DialNews[], port: number): string {
  const silent = outcomes.filter((outcome) => outcome === 'timeout').length;
  const cause =
    2 * silent >= outcomes.length
      ? 'no answer comes at all, so the packets are dropped on the way, most likely by the hosting provider: ask it to open the port'
      : 'the refusals come at once, so a firewall of this machine or its network is the most likely cause: allow outbound connections to the port there';
  return `outbound port ${port} looks blocked: ${who}; ${cause}`;
}
