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
 * Whether a prober outside tells the truth: mailboxes whose truth the operator knows (`controls` of the providers file),
 * and a made-up one beside each, are asked through it like any other.
 *
 *     not checked yet ──right──▶ well ──wrong──▶ in quarantine ──right──▶ well
 *
 * Nothing else is asked through a prober before its first control came out right, or in quarantine. Every five minutes,
 * and after every two hundred answers, another is due. Where the operator has named no controls nothing is checked.
 *
 * A prober that could tell controls from other probes would tell the truth about them alone. So each looks like a single
 * verification of some account: its own tag, the time that a caller has, a made-up name that a person might have, and the
 * two of a check in any order and some time apart.
 */
export type ProberControls = {
  /** Why the prober is not well, as far as controls can say; `undefined` where they say nothing against it. */
  missing: (state: { controlsRight: number }) => string | undefined;
  checkIfDue: (prober: KnownProber, found: Checked) => void;
  /** So many answers of the prober were taken. */
  count: (prober: KnownProber, answers: number) => void;
  stop: () => void;
};

export type ProberState = {
  /** Empty where mail hosts are asked through it. */
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
  /** Addresses of living mailboxes. */
  controls: readonly string[];
  /** The time that a caller of a single verification has. */
  singleTimeoutMs: number;
  random?: () => number;
  onProblem: (message: string, error?: unknown) => void;
};

const controlLimits = {
  everyMs: 300_000,
  /** Until the first has come out right or wrong. */
  firstEveryMs: 5_000,
  answers: 200,
  /** Between the two probes of a check, through a prober that is asked for others too. */
  mostApartMs: 5_000,
  /** What a single verification has used up of its time when its probe is handed over. */
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
    // A prober that is not well is asked for nothing but controls, and waits to be.
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
            onProblem(`control mailboxes could not be asked through ${prober.name}`, error);
        })
        .finally(() => underWay.delete(prober.id));
    },
    count: ({ id }, answers) => void answersSince.set(id, (answersSince.get(id) ?? 0) + answers),
    stop: () => stopped.abort(),
  };
}

/** Said to operators; see docs/probers.md. */
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

/** One process at a time asks. */
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
      // Other reasons not to ask through it end by themselves.
      why_not: sql<string | null>`nullif(why_not, ${sql.lit(quarantined)})`,
    }))
    .where('id', '=', arg.id)
    .returning('why_not as whyNot'),
);

const fail = statement((db, arg: { id: string; whyNot: string }) =>
  db.updateTable('prober').set({ controls_right: 0, why_not: arg.whyNot }).where('id', '=', arg.id),
);

/**
 * What a prober in quarantine still holds is taken from it, answers on their way included, and what it told of hosts and
 * domains is forgotten.
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
      `control mailboxes came out wrong through the prober ${name}: nothing more is asked through it`,
    );
}

type AskParts = ProberControlParts & { signal: AbortSignal; mostApartMs: number };

/** A living mailbox and a made-up one of its domain. */
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

/** A name that reads like a person's, and that nobody has: one of some ten billion. */
function makeUpName(): string {
  const letterOf = (letters: string): string => letters[randomInt(letters.length)] ?? '';
  const syllables = (count: number): string =>
    Array.from({ length: count }, () => letterOf(consonants) + letterOf(vowels)).join('');
  return `${syllables(2)}.${syllables(3)}${letterOf(consonants)}`;
}

/** Waits, unless the checks are over. */
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

/** Refused as unknown is a lie; refused for what the prober is makes its answers worthless. */
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
