import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { networkOf, type NetworkBits } from '../ip-address.ts';

/**
 * Whether outbound port 25 is open at all. Most clouds keep it closed until asked; then every mail host seems dead,
 * and nothing learnt about any of them is true.
 *
 *     open ──▶ suspected ──▶ blocked
 *      ▲           │            │
 *      └───────────┴────────────┘ by one connection or refusal, from any host
 *
 * open → suspected: `mailPortAddresses` addresses in `mailPortNetworks` networks were silent within the window, and
 * no host was reached in it. A list of dead hosts looks the same, so this alone decides nothing.
 *
 * suspected → blocked: hosts that are known to live are asked at that moment, and none of them can be reached.
 * Without such hosts nothing is called blocked, and the operator is told of the silence.
 *
 * open → blocked: a whole round of canaries failed, and no host was reached within the window.
 *
 * blocked → open: also after a whole window without an attempt, since old news must not keep the service closed.
 *
 * A connection that is refused (RST) proves as much as one that is accepted: the packets arrive. While the port is
 * blocked the service should not dial, so it would not notice that the port is open again. Therefore `takeTrial`
 * lets one attempt through a minute. The operator's canaries find out too.
 */
export type MailPortWatch = {
  note(ip: string, outcome: DialNews): void;
  /** Notes the result of a round of canaries. */
  noteCanaries(outcomes: readonly DialNews[]): void;
  isBlocked(): MailPortState;
  /** Returns true at most once a minute while the port is blocked: the caller may still dial, and notes the outcome. */
  takeTrial(): boolean;
};

/** `hung_up`: the connection was accepted and nothing said, which a middlebox may do as well. */
export type DialNews = 'connected' | 'timeout' | 'refused' | 'unreachable' | 'hung_up';

export type MailPortState = { kind: 'open' } | { kind: 'blocked'; message: string };

type MailPortParts = {
  clock: Clock;
  limits: Pick<
    Limits,
    'mailPortAddresses' | 'mailPortNetworks' | 'mailPortWindowMs' | 'mailPortFailures' | 'mailPortNoticeMs'
  >;
  port: number;
  /** Asks mail hosts that are known to live; none if the operator has named none. */
  askKnownHosts(): Promise<readonly DialNews[]>;
  /** Called when the port is blocked (at most once in `mailPortNoticeMs`), and when it is open again. */
  onProblem(message: string): void;
};

export function createMailPortWatch(parts: MailPortParts): MailPortWatch {
  const { clock, limits } = parts;
  const silentHosts = countSilentHosts(parts);
  let reachedAt = -Infinity;
  let askedAt = -Infinity;
  let blocked: { message: string; newsAt: number; trialAt: number } | undefined;
  const operator = tellSeldom(parts);

  function reached(): void {
    if (blocked !== undefined) parts.onProblem(`outbound port ${parts.port} is open again`);
    silentHosts.forget();
    reachedAt = clock.now();
    blocked = undefined;
    operator.mayBeTold();
  }

  function findBlocked(message: string): void {
    const now = clock.now();
    blocked = { trialAt: blocked?.trialAt ?? now, message, newsAt: now };
    operator.tell(message);
  }

  const wasReached = (): boolean => clock.now() - reachedAt < limits.mailPortWindowMs;

  function note(ip: string, outcome: DialNews): void {
    const known = state();
    if (provesOpen(outcome)) reached();
    // A trial that failed: little news, but not old.
    else if (known.kind === 'blocked') findBlocked(known.message);
    else if (outcome === 'timeout') suspect(silentHosts.add(ip));
  }

  /** Asks the hosts that are known to live, at most one round a minute. */
  function suspect(seen: string | undefined): void {
    if (seen === undefined || wasReached() || clock.now() - askedAt < limits.mailPortNoticeMs) return;
    askedAt = clock.now();
    parts
      .askKnownHosts()
      .then((outcomes) => {
        silentHosts.forget();
        if (outcomes.length === 0) operator.tell(cannotTell(seen, parts.port));
        else
          conclude(
            outcomes,
            `${seen}, and none of ${outcomes.length} known hosts that were asked to make sure`,
          );
      })
      .catch((error: unknown) => parts.onProblem(`no known mail host could be asked: ${String(error)}`));
  }

  function conclude(outcomes: readonly DialNews[], failed: string): void {
    if (outcomes.some(provesOpen)) reached();
    else if (!wasReached()) findBlocked(describe(failed, outcomes, parts.port));
  }

  function state(): MailPortState {
    if (blocked !== undefined && clock.now() - blocked.newsAt >= limits.mailPortWindowMs) blocked = undefined;
    return blocked === undefined ? open : { kind: 'blocked', message: blocked.message };
  }

  return {
    note,
    noteCanaries(outcomes) {
      // One host may be down; that says nothing of the port.
      if (outcomes.length >= leastCanaries || outcomes.some(provesOpen))
        conclude(outcomes, `none of ${outcomes.length} canaries gave a connection`);
    },
    isBlocked() {
      const known = state();
      if (known.kind === 'blocked') operator.tell(known.message);
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

const open: MailPortState = { kind: 'open' };

const leastCanaries = 2;

/** The usual network of one operator: a /16 of IPv4, a /32 of IPv6. */
const operatorNetwork: NetworkBits = { ipv4: 16, ipv6: 32 };

function provesOpen(outcome: DialNews): boolean {
  return outcome === 'connected' || outcome === 'refused';
}

/** Counts the hosts that were silent within the window, by their network. */
function countSilentHosts({ clock, limits }: MailPortParts) {
  const none = () => createBoundedCache<string>({ clock, maxEntries: limits.mailPortFailures });
  let hosts = none();
  return {
    forget() {
      if (hosts.size() > 0) hosts = none();
    },
    /** Returns a description of the silence; nothing if the hosts are too few to mean anything. */
    add(ip: string): string | undefined {
      hosts.set(ip, networkOf(ip, operatorNetwork), limits.mailPortWindowMs);
      const silent = hosts.list();
      const networks = new Set(silent.map(({ value }) => value)).size;
      if (silent.length < limits.mailPortAddresses || networks < limits.mailPortNetworks) return undefined;
      return `none of ${silent.length} mail hosts in ${networks} networks gave a connection`;
    },
  };
}

/** Tells the operator once in `mailPortNoticeMs`, however much there is to tell. */
function tellSeldom(parts: MailPortParts) {
  const { clock, limits } = parts;
  let toldAt = -Infinity;
  return {
    mayBeTold: () => void (toldAt = -Infinity),
    tell(message: string): void {
      if (clock.now() - toldAt < limits.mailPortNoticeMs) return;
      toldAt = clock.now();
      parts.onProblem(message);
    },
  };
}

function cannotTell(seen: string, port: number): string {
  return (
    `${seen} on port ${port}; they may be down, or the port blocked: ` +
    'to tell these apart, name canaries in the providers file, or a sender whose domain has mail hosts'
  );
}

/**
 * Describes the outcomes. Time-outs are packets dropped on the way; an answer that comes at once comes from near by.
 */
function describe(who: string, outcomes: readonly DialNews[], port: number): string {
  const silent = outcomes.filter((outcome) => outcome === 'timeout').length;
  const cause =
    2 * silent >= outcomes.length
      ? 'no answer comes at all, so the packets are dropped on the way, most likely by the hosting provider: ask it to open the port'
      : 'the failures come at once, so a firewall of this machine or its network is the most likely cause: allow outbound connections to the port there';
  return `outbound port ${port} looks blocked: ${who}; ${cause}`;
}
