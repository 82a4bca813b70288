/**
 * Asks the configured servers until one answers. The next server is asked after `dnsTryMs` of silence, or at once if
 * one declines (SERVFAIL, REFUSED …) or is not there. The rounds go on until `dnsLookupMs` or the caller's deadline.
 * Earlier tries stay open: a recursive resolver that needs three seconds for a slow zone is heard when it answers.
 *
 * If too many lookups are under way, a lookup waits for its place; its time runs meanwhile.
 *
 * Ways a lookup ends, besides an answer:
 * - every server was asked, at least one declined, and the others have had their time: its failure;
 * - the deadline: `malformed` if an unreadable message came, else `silence`;
 * - no caller waits for it any more, or the resolver is closed: `silence`.
 */
import { createAlarm, type Alarm, type Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { tracedLookups } from '../traced.ts';
import { withItem } from '../with-item.ts';
import { ServerTry } from './ask-server.ts';
import type { ServerReply, TryOwner, WireParts } from './ask-server.ts';
import type {
  LookupFailure,
  DnsAnswer,
  DnsQuestion,
  DnsServer,
  LookupOrder,
  LookupOwner,
  WireLookup,
} from './lookup.ts';

type AskServersParts = {
  servers: readonly DnsServer[];
  clock: Clock;
  limits: Limits;
  wire: WireParts;
  /** Called for each lookup without an answer. */
  onFailure(failure: LookupFailure): void;
};

/** Parts that all lookups of a resolver share. */
type SharedParts = AskServersParts & {
  /** The server that answered last is asked first, so that a dead one costs its second only once. */
  favourite: number;
  /** All open lookups; the alarm calls each at its `dueAt`. */
  open: Alarm<ServersLookup>;
  ended(lookup: ServersLookup): void;
};

export function createAskServers(parts: AskServersParts): {
  begin(order: LookupOrder): WireLookup;
  close(): void;
} {
  const { clock, limits } = parts;
  const open = createAlarm<ServersLookup>(clock, (lookup, now) => lookup.onSilence(now));
  // A set keeps the order of arrival, and a lookup that was given up leaves it without a search.
  const waiting = new Set<ServersLookup>();
  const shared: SharedParts = { ...parts, favourite: 0, open, ended };
  let underWay = 0;
  let closed = false;

  function begin({ question, endsAt, owner }: LookupOrder): WireLookup {
    const now = clock.now();
    const deadline = Math.min(endsAt, now + limits.dnsLookupMs);
    const lookup = new ServersLookup(shared, { question, endsAt: deadline, owner });
    if (closed || deadline <= now) {
      lookup.giveUp();
    } else if (underWay < limits.dnsQueriesInFlight) {
      underWay += 1;
      lookup.begin();
    } else {
      waiting.add(lookup);
      open.set(lookup);
    }
    return lookup;
  }

  /** Gives the place of a lookup that ended to the one that has waited longest. */
  function ended(lookup: ServersLookup): void {
    open.delete(lookup);
    if (waiting.delete(lookup) || !lookup.isBegun) return;
    const [next] = waiting.size > 0 && !closed ? waiting : [];
    if (next === undefined) {
      underWay -= 1;
    } else {
      waiting.delete(next);
      next.begin();
    }
  }

  function close(): void {
    closed = true;
    for (const lookup of open.items()) lookup.giveUp();
  }

  return { begin, close };
}

/** The rounds over the servers for one question, until it is answered, given up or at its deadline. */
class ServersLookup implements WireLookup, TryOwner {
  readonly question: DnsQuestion;
  /** When the alarm looks at it: the server that was asked last has had its time, or the lookup has. */
  dueAt: number;
  /** Whether it had a place. */
  isBegun = false;
  private readonly shared: SharedParts;
  private readonly deadline: number;
  private owner: LookupOwner;
  private start = 0;
  private tries: readonly ServerTry[] = [];
  private declined: Map<number, LookupFailure> | undefined = undefined;
  private sawUnreadable = false;
  private isOver = false;

  constructor(shared: SharedParts, { question, endsAt, owner }: LookupOrder) {
    this.shared = shared;
    this.question = question;
    this.deadline = endsAt;
    this.dueAt = endsAt;
    this.owner = owner;
  }

  begin(): void {
    this.isBegun = true;
    this.start = this.shared.favourite;
    if (tracedLookups.hasSubscribers) this.beginTraced();
    else this.tryNext();
  }

  giveUp(): void {
    if (this.isOver) return;
    this.end();
    const [failure = this.sawUnreadable ? 'malformed' : 'silence'] = this.declined?.values() ?? [];
    this.shared.onFailure(failure);
    this.owner.answered({ lookup: { kind: 'failed', failure }, ttlS: 0 });
  }

  onSilence(now: number): void {
    const isDeclined = this.declined !== undefined && this.tries.length >= this.shared.servers.length;
    if (now >= this.deadline || isDeclined) this.giveUp();
    else this.tryNext();
  }

  replied(index: number, reply: ServerReply): void {
    if (this.isOver) return;
    const { shared } = this;
    if (reply.kind === 'answered') {
      shared.favourite = index;
      this.end();
      this.owner.answered(reply.answer);
      return;
    }
    if (reply.kind === 'declined') (this.declined ??= new Map()).set(index, reply.failure);
    if (this.declined?.size === shared.servers.length) this.giveUp();
    else if (this.tries.length < shared.servers.length) this.tryNext();
  }

  unreadable(): void {
    this.sawUnreadable = true;
  }

  failed(error: unknown): void {
    if (this.isOver) return;
    this.end();
    this.owner.broke(error);
  }

  private tryNext(): void {
    const { servers, clock, limits, wire } = this.shared;
    const index = (this.start + this.tries.length) % servers.length;
    const server = servers[index];
    if (server === undefined) throw new Error('no DNS server to ask');
    this.dueAt = Math.min(clock.now() + limits.dnsTryMs, this.deadline);
    this.shared.open.set(this);
    const next = new ServerTry(wire, this, { server, index });
    this.tries = withItem(this.tries, next);
    try {
      next.begin();
    } catch (error) {
      // The caller gets a defect of ours as an error.
      this.failed(error);
    }
  }

  /** Begins under a tracer, which follows a promise: the owner hears of the answer when the tracer does. */
  private beginTraced(): void {
    const { owner } = this;
    const { promise, resolve, reject } = Promise.withResolvers<DnsAnswer>();
    this.owner = { answered: resolve, broke: reject };
    const begin = (): Promise<DnsAnswer> => {
      this.tryNext();
      return promise;
    };
    tracedLookups.tracePromise(begin, { type: this.question.type }).then(
      (answer) => owner.answered(answer),
      (error: unknown) => owner.broke(error),
    );
  }

  private end(): void {
    this.isOver = true;
    for (const one of this.tries) one.end();
    this.shared.ended(this);
  }
}
