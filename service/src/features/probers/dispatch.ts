import { hash } from 'node:crypto';
import type { Clock, MailboxEvidence, Patience, PolicyBook, Probe, Prober } from '@mailproof/engine';
import { egressFor } from '@mailproof/engine';
import type { EgressAddress } from './egress-addresses.ts';
import type { EgressKeeper } from './keep-egress.ts';
import type { ProbeAnswer, ProbeQueue } from './probe-queue.ts';

/**
 * Who asks for a mailbox: the owner of the egress address that its mail hosts are asked from. Where that is this process
 * the probe is a function call; otherwise it is handed over in the store and its evidence waited for.
 *
 * Which address it is follows from the names alone (rendezvous hashing over those that can ask), so that the same hosts
 * meet the same address whichever process has the question.
 *
 * A prober outside may sleep. So a single verification that it has not answered after a third of the caller's time is
 * asked elsewhere too, if there is another; the first answer about the mailbox counts.
 */
type DispatcherParts = {
  local: Prober;
  policies: PolicyBook;
  clock: Clock;
  /** It is there before anybody asks; the engine that it looks after is made first. */
  egress: () => EgressKeeper;
  queue: Pick<ProbeQueue, 'ask'>;
};

type Choice =
  /** Without an egress address the local prober chooses among its own. */
  | { kind: 'own'; egress: string | undefined }
  | { kind: 'other'; address: EgressAddress }
  | { kind: 'nobody' };

/** An address that changes hands while somebody waits for it is asked for again, but not for ever. */
const mostTries = 5;

/** The longest that a prober outside has a single verification to itself. */
const aloneMs = 10_000;

/** One probe on its way: who asks for how long, and the names of egress addresses that are not asked for it any more. */
type Asking = {
  probe: Probe;
  patience: Patience;
  passedOver: Set<string>;
  /** The answer of the last that could not ask because its address is listed. */
  heard: { closed?: MailboxEvidence };
};

export function createDispatcher(parts: DispatcherParts): Prober {
  return {
    async ask(probe, patience) {
      const asking: Asking = { probe, patience, passedOver: new Set(), heard: {} };
      for (let tries = 1; ; tries += 1) {
        const answer = await askOnce(asking, parts);
        const mayTryAgain = tries < mostTries && parts.clock.now() < patience.deadline;
        if (typeof answer !== 'string') return answer;
        if (!mayTryAgain) return asking.heard.closed ?? noProber;
        if (answer === 'ask_another') await parts.egress().look();
      }
    },
  };
}

async function askOnce(asking: Asking, parts: DispatcherParts): Promise<ProbeAnswer> {
  const choice = chooseEgress(asking, parts);
  const isAlone = choice.kind === 'other' && choice.address.kind === 'outside';
  if (isAlone && asking.probe.asker.urgency === 'single') return askInTurn(choice.address, asking, parts);
  return askChosen(choice, asking, parts);
}

async function askChosen(choice: Choice, asking: Asking, parts: DispatcherParts): Promise<ProbeAnswer> {
  const { probe, patience, passedOver } = asking;
  switch (choice.kind) {
    case 'own': {
      const { egress } = choice;
      const found = await parts.local.ask(egress === undefined ? probe : { ...probe, egress }, patience);
      return isNotOurs(found) ? 'ask_another' : passClosed(found, egress, asking);
    }
    case 'other': {
      const { name } = choice.address;
      const found = await parts.queue.ask({ ...probe, egress: name }, patience);
      if (found === 'unreadable') passedOver.add(name);
      return isNotOurs(found) ? 'ask_another' : passClosed(withSource(found, choice.address), name, asking);
    }
    case 'nobody':
      return asking.heard.closed ?? noProber;
  }
}

/** Asks a prober outside, and another beside it if that one takes long. */
async function askInTurn(
  address: EgressAddress,
  asking: Asking,
  parts: DispatcherParts,
): Promise<ProbeAnswer> {
  const { patience, passedOver } = asking;
  const own = detach(patience);
  const first = askChosen({ kind: 'other', address }, { ...asking, patience: own.patience }, parts);
  try {
    const waitMs = Math.min(aloneMs, (patience.deadline - parts.clock.now()) / 3);
    const early = await within(waitMs, first, parts.clock);
    if (early !== undefined) return early;
    for (const one of parts.egress().addresses()) if (one.owner === address.owner) passedOver.add(one.name);
    const next = chooseEgress(asking, parts);
    if (next.kind === 'nobody') return await first;
    return await firstAnswer([first, askChosen(next, asking, parts)]);
  } finally {
    own.end();
  }
}

/**
 * Patience that its caller can end only until somebody has answered. After that the probe stays with its prober until the
 * deadline, which shows whether that one ever answers.
 */
function detach({ deadline, signal }: Patience): { patience: Patience; end: () => void } {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return {
    patience: { deadline, signal: own.signal },
    end: () => signal.removeEventListener('abort', abort),
  };
}

/** `undefined` if it takes longer. */
function within<Value>(ms: number, asked: Promise<Value>, clock: Clock): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(Math.max(0, ms), () => resolve(undefined));
    asked.then(resolve, reject).finally(cancel);
  });
}

/** The first that says something about the mailbox; if none does, one that says why not. */
function firstAnswer(asked: readonly Promise<ProbeAnswer>[]): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    let open = asked.length;
    let best: ProbeAnswer = 'ask_another';
    for (const one of asked)
      one.then((found) => {
        if (typeof found !== 'string' && found.kind === 'answered') resolve(found);
        if (typeof best === 'string') best = found;
        open -= 1;
        if (open === 0) resolve(best);
      }, reject);
  });
}

function chooseEgress(
  { probe: { address, route }, passedOver }: Asking,
  { egress: kept, policies }: DispatcherParts,
): Choice {
  const egress = kept();
  const { asking, group, spread, routes: allowed } = policies.policyFor(route.first.name);
  // Hosts that this installation does not ask are settled here: a prober elsewhere has a policy of its own.
  if (asking !== 'probe' || egress.areAllOurs()) return { kind: 'own', egress: undefined };
  const allowedNow = egress
    .addresses()
    .filter(({ name }) => allowed?.includes(name) !== false && !passedOver.has(name))
    .filter((one) => isWithinShare(one, address.email));
  const well = allowedNow.filter((one) => one.well);
  // A process of ours that cannot ask says why, and tries now and then; a prober outside that is not well is not believed.
  const candidates = well.length > 0 ? well : allowedNow.filter(({ kind }) => kind === 'inside');
  const [name] = egressFor(
    { group, spread, mailbox: address.email },
    candidates.map((one) => one.name),
  );
  const chosen = candidates.find((one) => one.name === name);
  if (chosen === undefined) return { kind: 'nobody' };
  return egress.isOurs(chosen.name)
    ? { kind: 'own', egress: chosen.name }
    : { kind: 'other', address: chosen };
}

/** Whether a mailbox is among those that a prober may be asked about: always the same ones, of every provider alike. */
function isWithinShare({ owner, share }: EgressAddress, mailbox: string): boolean {
  if (share >= 100) return true;
  const place = Number.parseInt(hash('sha256', `${owner}\n${mailbox}`).slice(0, 8), 16) / 2 ** 32;
  return place * 100 < share;
}

/** An address that is listed has asked nobody: another one may. Its owner tells all others of that within seconds. */
function passClosed(answer: ProbeAnswer, egress: string | undefined, asking: Asking): ProbeAnswer {
  const isClosed =
    typeof answer !== 'string' && answer.kind === 'no_answer' && answer.reason === 'egress_closed';
  if (!isClosed || egress === undefined) return answer;
  asking.heard.closed = answer;
  asking.passedOver.add(egress);
  return 'ask_another';
}

/** An answer from outside names its prober, whose answers are forgotten if it is not believed any more. */
function withSource(found: ProbeAnswer, { kind, owner }: EgressAddress): ProbeAnswer {
  if (typeof found === 'string' || found.kind !== 'answered' || kind !== 'outside') return found;
  return { ...found, askedBy: owner };
}

/** The address changed hands before anything was sent. */
function isNotOurs(answer: ProbeAnswer): boolean {
  return typeof answer !== 'string' && answer.kind === 'no_answer' && answer.reason === 'no_prober';
}

const noProber: MailboxEvidence = {
  kind: 'no_answer',
  reason: 'no_prober',
  meaning: undefined,
  connected: false,
  host: undefined,
  replies: [],
};
