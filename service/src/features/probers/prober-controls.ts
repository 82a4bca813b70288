import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import {
  parseAddress,
  type Address,
  type Clock,
  type MailboxEvidence,
  type MailRoute,
  type Patience,
} from '@mailproof/engine';
import { statement } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { forgetFrom } from '../../core/verify/engine-state/keep-engine-memory.ts';
import { egressChannel } from './egress-addresses.ts';
import { controlEgress, freeProbesOf, judgeEgress } from './outside-egress.ts';
import type { ProbeQueue } from './probe-queue.ts';
import { memoryWriterOf, type KnownProber } from './prober-records.ts';

/**
 * Checks whether an outside prober tells the truth. The operator names mailboxes that exist (`controls` of the
 * providers file). Each of them, and a random mailbox beside it, is asked through the prober like any other.
 *
 *     not checked yet ──right──▶ well ──wrong──▶ in quarantine ──right──▶ well
 *
 * Before its first correct control, and in quarantine, a prober gets no other probes. A control is due every five
 * minutes and after every two hundred answers. Without configured controls nothing is checked.
 *
 * A prober that recognised controls could answer only those truthfully. So each looks like a single verification: its
 * own tag, a caller's time, and a name that a person might have. The two probes of a check come in any order and some
 * time apart.
 */
export type ProberControls = {
  /** Returns why controls do not approve the prober; `undefined` if they have no objection. */
  missing: (state: { controlsRight: number }) => string | undefined;
  checkIfDue: (prober: KnownProber, found: Checked) => void;
  /** Counts the answers taken from the prober. */
  count: (prober: KnownProber, answers: number) => void;
  stop: () => void;
};

export type ProberState = {
  /** Empty if mail hosts are asked through it. */
  whyNot: string;
  controlledAt: number;
  controlsRight: number;
};

type Checked = { names: readonly string[]; state: ProberState };

type ProberControlParts = {
  store: Pick<Store, 'write' | 'notify'>;
  clock: Clock;
  wallClock: WallClock;
  queue: Pick<ProbeQueue, 'ask'>;
  findMailRoute: (address: Address, patience: Patience) => Promise<MailRoute>;
  /** Addresses of existing mailboxes. */
  controls: readonly string[];
  /** Time of a single verification's caller. */
  singleTimeoutMs: number;
  random?: () => number;
  onProblem: (message: string, error?: unknown) => void;
};

const controlLimits = {
  everyMs: 300_000,
  /** Interval until the first conclusive check. */
  firstEveryMs: 5_000,
  answers: 200,
  /** Longest time between the two probes of a check, if the prober also has other probes. */
  mostApartMs: 5_000,
  /** Longest time that a single verification takes before its probe is handed over. */
  mostUsedMs: 400,
} as const;

type Finding = 'right' | 'wrong' | 'nothing';

export function createProberControls(parts: ProberControlParts): ProberControls {
  const { wallClock, controls, onProblem } = parts;
  const stopped = new AbortController();
  const answersSince = new Map<string, number>();
  const underWay = new Set<string>();

  function isDue({ id }: KnownProber, { controlledAt, whyNot }: ProberState): boolean {
    const sinceMs = wallClock.now() - controlledAt;
    if (whyNot === unchecked) return sinceMs >= controlLimits.firstEveryMs;
    const isManySince = (answersSince.get(id) ?? 0) >= controlLimits.answers;
    return sinceMs >= controlLimits.everyMs || (isManySince && sinceMs >= controlLimits.firstEveryMs);
  }

  async function check(prober: KnownProber, { names, state }: Checked): Promise<void> {
    answersSince.set(prober.id, 0);
    if (!(await beginCheck(prober, parts))) return;
    const egress = pick(names, parts);
    const email = pick(controls, parts);
    if (egress === undefined || email === undefined) return;
    // An unwell prober gets nothing but controls, and waits for them.
    const mostApartMs = state.whyNot === '' ? controlLimits.mostApartMs : 0;
    const asking = { ...parts, signal: stopped.signal, mostApartMs };
    const finding = await askControls(email, egress, asking);
    if (finding !== 'nothing') await conclude(prober, finding, parts);
  }

  return {
    missing: ({ controlsRight }) => (controls.length > 0 && controlsRight === 0 ? unchecked : undefined),
    checkIfDue(prober, found) {
      if (controls.length === 0 || underWay.has(prober.id) || !isDue(prober, found.state)) return;
      underWay.add(prober.id);
      void check(prober, found)
        .catch((error: unknown) => {
          if (!stopped.signal.aborted)
            onProblem(`cannot ask control mailboxes through ${prober.name}; trying again later`, error);
        })
        .finally(() => underWay.delete(prober.id));
    },
    count: ({ id }, answers) => void answersSince.set(id, (answersSince.get(id) ?? 0) + answers),
    stop: () => stopped.abort(),
  };
}

/** Shown to operators; see docs/probers.md. */
const quarantined = 'controls_wrong';
const unchecked = 'not_checked_yet';

function pick<Item>(items: readonly Item[], { random = Math.random }: ProberControlParts): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

const begin = statement((db, arg: { id: string; now: number; since: number }) =>
  db
    .updateTable('prober')
    .set({ controlled_at: arg.now })
    .where('id', '=', arg.id)
    .where('controlled_at', '<=', arg.since),
);

/** Claims the check, so that one process at a time asks. */
async function beginCheck({ id }: KnownProber, { store, wallClock }: ProberControlParts): Promise<boolean> {
  const now = wallClock.now();
  const row = { id, now, since: now - controlLimits.firstEveryMs };
  return (await store.write((tx) => tx.change(begin, row))) === 1;
}

const pass = statement((db, arg: { id: string }) =>
  db
    .updateTable('prober')
    .set((eb) => ({
      controls_right: eb('controls_right', '+', eb.lit(1)),
      // Other reasons end by themselves.
      why_not: sql<string | null>`nullif(why_not, ${sql.lit(quarantined)})`,
    }))
    .where('id', '=', arg.id)
    .returning('why_not as whyNot'),
);

const fail = statement((db, arg: { id: string; whyNot: string }) =>
  db.updateTable('prober').set({ controls_right: 0, why_not: arg.whyNot }).where('id', '=', arg.id),
);

/**
 * Records the result of a check. A prober in quarantine loses its leases, including answers on their way, and its facts
 * about hosts and domains are forgotten.
 */
async function conclude(
  { id, name }: KnownProber,
  finding: 'right' | 'wrong',
  { store, wallClock, onProblem }: ProberControlParts,
): Promise<void> {
  await store.write(async (tx) => {
    if (finding === 'right') {
      const passed = await tx.first(pass, { id });
      await judgeEgress(tx, { owner: id, whyNot: passed?.whyNot ?? '' });
    } else {
      await tx.change(fail, { id, whyNot: quarantined });
      await judgeEgress(tx, { owner: id, whyNot: quarantined });
      await freeProbesOf(tx, id);
      await forgetFrom(tx, { writer: memoryWriterOf(id), at: wallClock.now() });
    }
  }, `prober:${id}`);
  store.notify(egressChannel);
  if (finding === 'wrong')
    onProblem(
      `the prober ${name} answered wrongly about control mailboxes; it is in quarantine until a check comes out right`,
    );
}

type AskParts = ProberControlParts & { signal: AbortSignal; mostApartMs: number };

/** Asks for an existing mailbox and a random one of its domain. */
async function askControls(email: string, egress: string, parts: AskParts): Promise<Finding> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const waits = [0, parts.mostApartMs === 0 ? 0 : randomInt(parts.mostApartMs)];
  if (randomInt(2) === 1) waits.reverse();
  const [living, other] = await Promise.all(
    [email, `${makeUpName()}@${domain}`].map(async (one, place) => {
      await wait(waits[place] ?? 0, parts);
      return askOne(one, egress, parts);
    }),
  );
  const findings = [judgeLiving(living), judgeMadeUp(other)];
  if (findings.includes('wrong')) return 'wrong';
  return findings[0] === 'right' ? 'right' : 'nothing';
}

async function askOne(email: string, egress: string, parts: AskParts): Promise<MailboxEvidence | undefined> {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return undefined;
  const { address } = parsed;
  const withinMs = Math.max(0, parts.singleTimeoutMs - randomInt(controlLimits.mostUsedMs));
  const patience = { deadline: parts.clock.now() + withinMs, signal: parts.signal };
  const route = await parts.findMailRoute(address, patience);
  if (route.kind !== 'takes_mail') return undefined;
  const asker = { urgency: 'single', account: `acct_${randomBytes(8).toString('hex')}` } as const;
  const found = await parts.queue.ask({ address, route, asker, egress: controlEgress(egress) }, patience);
  return typeof found === 'string' ? undefined : found;
}

const consonants = 'bdfgklmnprstv';
const vowels = 'aeiou';

/** Returns a random name that reads like a person's: one of about ten billion. */
function makeUpName(): string {
  const letterOf = (letters: string): string => letters[randomInt(letters.length)] ?? '';
  const syllables = (count: number): string =>
    Array.from({ length: count }, () => letterOf(consonants) + letterOf(vowels)).join('');
  return `${syllables(2)}.${syllables(3)}${letterOf(consonants)}`;
}

/** Waits, unless the checks have been stopped. */
function wait(ms: number, { clock, signal }: AskParts): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/**
 * Judges the answer about an existing mailbox. "Unknown" is a lie; a refusal because of the prober itself makes its
 * answers worthless.
 */
function judgeLiving(evidence: MailboxEvidence | undefined): Finding {
  switch (evidence?.meaning?.label) {
    case 'accepted':
      return 'right';
    case 'mailbox_not_exist':
    case 'mailbox_disabled':
    case 'blocked_or_policy':
      return 'wrong';
    case 'mailbox_full':
    case 'greylisted_or_temporary':
    case 'other':
    case undefined:
      return 'nothing';
  }
}

function judgeMadeUp(evidence: MailboxEvidence | undefined): Finding {
  if (evidence?.kind !== 'answered') return 'nothing';
  return evidence.meaning.label === 'accepted' ? 'wrong' : 'nothing';
}
