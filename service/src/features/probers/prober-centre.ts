import { createHmac } from 'node:crypto';
import { createBoundedCache, type BoundedCache, type Clock, type PolicyBook } from '@mailproof/engine';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressChannel } from './egress-addresses.ts';
import {
  announceEgress,
  controlEgress,
  egressOf,
  holderOf,
  ownNameOf,
  silentProberMs,
} from './outside-egress.ts';
import type { ProbeExchange } from './probe-exchange.ts';
import type { ProberControls, ProberState } from './prober-controls.ts';
import { readNews, rememberFromProber } from './prober-memory.ts';
import { keptRests, readWishes } from './prober-rests.ts';
import { readEvidence, readLearned } from './evidence-messages.ts';
import type {
  LeaseAnswerMessage,
  LeaseRequestMessage,
  ReportAnswerMessage,
  ReportMessage,
} from './prober-messages.ts';
import {
  createAuthenticateProber,
  enrolProber,
  type AuthenticateProber,
  type EnrolAnswer,
  type KnownProber,
} from './prober-records.ts';
import { createCounts } from './prober-counts.ts';
import { forgiveFaults, noteFaults } from './prober-faults.ts';
import type { LeasedProbe, ProbeResult } from './probe-source.ts';

/**
 * The centre as a prober outside sees it: it enrols, leases probes, and reports what was said. The centre believes
 * nothing of it but evidence for probes that it holds, and what it learnt of hosts and domains that it was asked about;
 * it tells it addresses and who takes turns with whom, and neither account nor result.
 */
export type ProberCentre = {
  authenticate: AuthenticateProber;
  enrol: (request: { token: string; secret: string }) => Promise<EnrolAnswer>;
  /** `removed` where the prober was removed while it waited. */
  lease: (
    request: LeaseRequestMessage,
    from: ProberCall & { isStillKnown: () => Promise<boolean>; protocol: number },
  ) => Promise<LeaseAnswerMessage | 'removed'>;
  report: (request: ReportMessage, from: SpeakingProber) => Promise<ReportAnswerMessage>;
  /** Ends the waiting: whoever waits is answered with nothing. */
  close: () => void;
};

/** Its routes need it. */
export type ProberHttp = { probers: Pick<ProberCentre, 'authenticate' | 'enrol' | 'lease' | 'report'> };

/** A prober, and the protocol that it speaks. */
type SpeakingProber = { prober: KnownProber; protocol: number };

type ProberCall = { prober: KnownProber; address: string; signal: AbortSignal };

type ProberCentreParts = {
  store: Pick<Store, 'read' | 'write' | 'notify'>;
  clock: Clock;
  wallClock: WallClock;
  exchange: ProbeExchange;
  controls: ProberControls;
  policies: Pick<PolicyBook, 'policyFor'>;
  onProblem: (message: string, error: unknown) => void;
};

/** A second instance asks again after this long. */
const standByMs = 5_000;
/** While a prober waits it is heard of so often, and its secret looked at so often. */
const announceEveryMs = 8_000;
const lookAgainMs = 800;
/** One that is not well yet may be in a moment. */
const unwellWaitMs = 1_000;
/** Hosts and domains that a prober was asked about, for each. */
const keysRemembered = 50_000;
const probersAnnounced = 1_000;

export function createProberCentre(given: ProberCentreParts): ProberCentre {
  const announced = createBoundedCache<Announced>({ clock: given.clock, maxEntries: probersAnnounced });
  const parts = { ...given, announced };
  const { store, exchange, controls } = parts;
  const counts = createCounts(parts);
  const closed = new AbortController();
  /** What each prober may have learnt something about. */
  const askedAbout = createBoundedCache<true>({ clock: parts.clock, maxEntries: keysRemembered });
  const follow = (prober: KnownProber, probes: readonly LeasedProbe[]) => {
    for (const key of probes.flatMap((probe) => keysOf(probe, parts.policies)))
      askedAbout.set(`${prober.id} ${key}`, true, askedAboutMs);
  };

  return {
    authenticate: createAuthenticateProber({ store, clock: parts.clock }),
    enrol: (request) => enrolProber(request, parts),
    async lease(request, { isStillKnown, protocol, ...from }) {
      const { prober } = from;
      const state = await announce(request, from, parts);
      if (state === 'stand_by') return { probes: [], stand_by_ms: standByMs, learned: [], news: '' };
      controls.checkIfDue(prober, { names: namesOf(prober, request), state });
      const news = await readNews(prober, request.news, parts);
      const wishes = await readWishes({ id: prober.id, done: request.ended ?? [] }, parts);
      const end = protocol >= 2 && wishes.length > 0 ? { end: wishes } : {};
      const signal = AbortSignal.any([from.signal, closed.signal]);
      const waiting = keepAnnouncing(request, { ...from, signal, isStillKnown, state }, parts);
      try {
        const order = { ...orderOf(request, prober, state), mayKeep: waiting.mayKeep };
        if ('end' in end) order.waitMs = 0;
        const probes = await exchange.lease(order, waiting.signal);
        if (waiting.isRemoved()) return 'removed';
        follow(prober, probes);
        return { ...news, ...end, probes: probes.map((probe) => present(probe, prober)) };
      } finally {
        waiting.end();
      }
    },
    async report({ instance, results, learned, renew }, { prober, protocol }) {
      const row = await store.read.first(findInstance, { id: prober.id });
      if (row?.instance !== instance) return { ended: renew };
      const holder = holderOf(prober.id, instance);
      const read = results.map(readResult);
      const { counted, ended, withdrawn } = await exchange.report({ holder, results: read, renew });
      await judgeReport(prober, { counted, faults: row.faults }, parts);
      const isBelieved = whyNotOf(row, {}, parts) === '';
      const believed = readLearned(isBelieved ? learned : []).filter(({ kind, key }) =>
        askedAbout.get(`${prober.id} ${kind} ${key}`),
      );
      counts.add(prober.id, counted);
      const isDoubted = async (tx: Tx) => {
        const now = await tx.first(lockProber, { id: prober.id });
        return now === undefined || whyNotOf(now, {}, parts) !== '';
      };
      if (believed.length > 0) await rememberFromProber(believed, prober, { ...parts, isDoubted });
      controls.count(prober, counted.length);
      return protocol >= 2 ? { ended, withdrawn } : { ended };
    },
    close: () => {
      closed.abort();
      controls.stop();
      counts.stop();
    },
  };
}

const askedAboutMs = 3_600_000;

/** The operator gave a prober its egress addresses; names that it adds are no addresses of ours. */
function namesOf(
  { name, egress: given }: KnownProber,
  { egress }: Pick<LeaseRequestMessage, 'egress'>,
): string[] {
  return egress.filter((own) => given.includes(own)).map((own) => egressOf(name, own));
}

type Judged = { counted: readonly ProbeResult[]; faults: number };

/** Takes note of reports that cannot be read; a report that can be read forgives those before it. */
async function judgeReport(
  { id, name }: KnownProber,
  { counted, faults }: Judged,
  { store, wallClock, onProblem }: ProberCentreParts,
): Promise<void> {
  const unreadable = counted.filter(({ evidence }) => evidence === null).length;
  if (counted.length === 0 || (unreadable === 0 && faults === 0)) return;
  const fault = {
    proberId: id,
    faults: unreadable,
    whyNot: 'reports_unreadable',
    now: wallClock.now(),
  } as const;
  const isAside = await store.write(async (tx) => {
    if (unreadable > 0) return noteFaults(tx, fault);
    await forgiveFaults(tx, id);
    return false;
  }, `prober:${id}`);
  if (!isAside) return;
  store.notify(egressChannel);
  onProblem(`reports of the prober ${name} cannot be read: it is put aside`, undefined);
}

/** Control mailboxes alone are asked through a prober that is not well. */
function orderOf(request: LeaseRequestMessage, prober: KnownProber, { whyNot }: ProberState) {
  const { places, holding, wait_ms: wait, instance } = request;
  const names = namesOf(prober, request);
  const controlNames = names.map(controlEgress);
  return {
    holder: holderOf(prober.id, instance),
    places,
    egress: whyNot === '' ? [...names, ...controlNames] : controlNames,
    waitMs: whyNot === '' ? wait : Math.min(wait, unwellWaitMs),
    ...(holding === undefined ? {} : { holding }),
  };
}

/** The account is told as a number that means something to this prober alone, and nothing else. */
function present(leased: LeasedProbe, { tagKey }: KnownProber): LeaseAnswerMessage['probes'][number] {
  const { probe, lease, fence, egress, question, asker, withinMs } = leased;
  const tag = createHmac('sha256', tagKey).update(asker.account).digest('hex').slice(0, 16);
  const { urgency } = asker;
  return {
    probe,
    lease,
    fence,
    egress: ownNameOf(egress),
    urgency,
    tag,
    within_ms: Math.round(withinMs - Math.min(mostMarginMs, withinMs / 10)),
    question,
  };
}

/** A prober has a little less time than its asker, so that even the end of its patience is reported in time. */
const mostMarginMs = 1_000;

/** Evidence that makes no sense is worth as much as none: another prober is asked. */
function readResult(result: ReportMessage['results'][number]): ProbeResult {
  const { probe, lease, fence, begun_ms: begunMsAgo } = result;
  const evidence = result.evidence === null ? null : (readEvidence(result.evidence) ?? null);
  return { probe, lease, fence, evidence, ...(begunMsAgo === undefined ? {} : { begunMsAgo }) };
}

function keysOf({ question }: LeasedProbe, policies: ProberCentreParts['policies']): string[] {
  const domain = question.email.slice(question.email.lastIndexOf('@') + 1).toLowerCase();
  // The engine that wrote the question has made the name canonical.
  const first = question.first.name;
  return [
    `catch_all ${domain}`,
    `rest group ${policies.policyFor(first).group}`,
    ...question.first.addresses.map((address) => `rest address ${address}`),
    ...question.mx.map((host) => `host_traits ${host}`),
  ];
}

type SeenRow = { id: string; instance: string; seen: string; now: number; silent: number };

const see = statement((db, arg: SeenRow) =>
  db
    .updateTable('prober')
    .set({ instance: arg.instance, seen_at: arg.now, seen: arg.seen })
    .where('id', '=', arg.id)
    .where((eb) => eb.or([eb('instance', '=', arg.instance), eb('seen_at', '<=', arg.silent)]))
    .returning(['why_not as whyNot', 'controlled_at as controlledAt', 'controls_right as controlsRight']),
);

const findInstance = statement((db, arg: { id: string }) =>
  db
    .selectFrom('prober')
    .select(['instance', 'why_not as whyNot', 'faults'])
    .select(['controlled_at as controlledAt', 'controls_right as controlsRight'])
    .where('id', '=', arg.id),
);

/** Empty where mail hosts may be asked through it: neither the centre nor the prober itself knows anything against it. */
function whyNotOf(
  row: { whyNot: string | null; controlsRight: number },
  { unwell }: Pick<LeaseRequestMessage, 'unwell'>,
  { controls }: ProberCentreParts,
): string {
  return row.whyNot ?? controls.missing(row) ?? unwell ?? '';
}

/** What this process has last written down of a prober, and when. */
type Announced = { key: string; at: number };

type AnnouncingParts = ProberCentreParts & { announced: BoundedCache<Announced> };

/**
 * The prober is there: its egress addresses can be asked from, unless another of its instances works. Somebody waits for
 * what it leases, so what was written down a moment ago is not written again.
 */
async function announce(
  request: LeaseRequestMessage,
  from: Omit<ProberCall, 'signal'>,
  parts: AnnouncingParts,
): Promise<ProberState | 'stand_by'> {
  const { id } = from.prober;
  const { store, clock, announced } = parts;
  const { instance } = request;
  const last = announced.peek(id);
  if (last !== undefined && clock.now() - last.at < announceEveryMs / 2) {
    const row = await store.read.first(findInstance, { id });
    const whyNot = row === undefined ? '' : whyNotOf(row, request, parts);
    const isSame = last.key === announcementKey(request, from, whyNot);
    if (row?.instance === instance && isSame) return { ...row, whyNot };
  }
  const state = await writeAnnouncement(request, from, parts);
  if (state === 'stand_by') return state;
  const key = announcementKey(request, from, state.whyNot);
  announced.set(id, { key, at: clock.now() }, announceEveryMs);
  return state;
}

/** Fields that are written at once if they change. */
function announcementKey(
  { instance, version, egress, rests = [] }: LeaseRequestMessage,
  { address }: Pick<ProberCall, 'address'>,
  whyNot: string,
): string {
  const resting = rests.map(({ kind, egress: own, group }) => [kind, own, group]);
  return JSON.stringify([instance, version, address, egress, whyNot, resting]);
}

async function writeAnnouncement(
  request: LeaseRequestMessage,
  { prober, address }: Omit<ProberCall, 'signal'>,
  parts: ProberCentreParts,
): Promise<ProberState | 'stand_by'> {
  const { store, wallClock } = parts;
  const now = wallClock.now();
  const { instance, version, conversations, resting, egress } = request;
  const rests = keptRests(request.rests ?? [], now).filter((one) => prober.egress.includes(one.egress));
  const given = egress.filter((own) => prober.egress.includes(own));
  const ignored = egress.filter((own) => !given.includes(own));
  const seen = JSON.stringify({ version, address, conversations, resting, egress: given, ignored, rests });
  const found = await store.write(async (tx) => {
    const row = await tx.first(see, { id: prober.id, instance, seen, now, silent: now - silentProberMs });
    if (row === undefined) return undefined;
    const whyNot = whyNotOf(row, request, parts);
    const { id: owner, share } = prober;
    const isNews = await announceEgress(tx, namesOf(prober, request), { owner, now, whyNot, share });
    return { state: { ...row, whyNot }, isNews };
  }, `prober:${prober.id}`);
  if (found === undefined) return 'stand_by';
  if (found.isNews) store.notify(egressChannel);
  return found.state;
}

/** Locked until the transaction is committed: a removal or a quarantine is seen here, or finds what it has done. */
const lockProber = statement((db, arg: { id: string }) =>
  db
    .selectFrom('prober')
    .select(['why_not as whyNot', 'controls_right as controlsRight'])
    .where('id', '=', arg.id)
    .forShare(),
);

type WaitingCall = ProberCall & { isStillKnown: () => Promise<boolean>; state: ProberState };

/**
 * A prober that waits is there; one that was removed meanwhile waits no longer, and one that is no longer as well as it
 * was when it asked has to ask again.
 */
function keepAnnouncing(request: LeaseRequestMessage, from: WaitingCall, parts: AnnouncingParts) {
  const removed = new AbortController();
  const signal = AbortSignal.any([from.signal, removed.signal]);
  let announcedAt = parts.clock.now();
  let cancel = parts.clock.after(lookAgainMs, look);

  function look(): void {
    void lookOnce()
      .catch((error: unknown) => parts.onProblem('a prober that waits could not be looked at', error))
      .finally(() => {
        if (!signal.aborted) cancel = parts.clock.after(lookAgainMs, look);
      });
  }

  async function lookOnce(): Promise<void> {
    if (!(await from.isStillKnown())) {
      removed.abort();
      return;
    }
    if (parts.clock.now() - announcedAt < announceEveryMs) return;
    announcedAt = parts.clock.now();
    await announce(request, from, parts);
  }

  return {
    signal,
    isRemoved: () => removed.signal.aborted,
    mayKeep: async (tx: Tx): Promise<boolean> => {
      const row = await tx.first(lockProber, { id: from.prober.id });
      if (row === undefined) removed.abort();
      return row !== undefined && whyNotOf(row, request, parts) === from.state.whyNot;
    },
    end: () => {
      cancel();
      removed.abort();
    },
  };
}
