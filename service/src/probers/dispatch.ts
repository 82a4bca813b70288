import type { Clock, MailboxEvidence, Patience, PolicyBook, Probe, Prober } from '@mailproof/engine';
import { egressFor } from '@mailproof/engine';
import type { EgressKeeper } from './keep-egress.ts';
import type { ProbeQueue } from './probe-queue.ts';

/**
 * Who asks for a mailbox: the owner of the egress address that its mail hosts are asked from. Where that is this process
 * the probe is a function call; otherwise it is handed over in the store and its evidence waited for.
 *
 * Which address it is follows from the names alone (rendezvous hashing over those that can ask), so that the same hosts
 * meet the same address whichever process has the question.
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
  { kind: 'own'; egress: string | undefined } | { kind: 'other'; egress: string } | { kind: 'nobody' };

/** An address that changes hands while somebody waits for it is asked for again, but not for ever. */
const mostTries = 5;

export function createDispatcher(parts: DispatcherParts): Prober {
  return {
    async ask(probe, patience) {
      for (let tries = 1; ; tries += 1) {
        const evidence = await askOnce(probe, patience, parts);
        const mayTryAgain = tries < mostTries && parts.clock.now() < patience.deadline;
        if (evidence !== 'ask_another') return evidence;
        if (!mayTryAgain) return noProber;
        await parts.egress().look();
      }
    },
  };
}

async function askOnce(
  probe: Probe,
  patience: Patience,
  parts: DispatcherParts,
): Promise<MailboxEvidence | 'ask_another'> {
  const choice = chooseEgress(probe, parts);
  switch (choice.kind) {
    case 'own': {
      const { egress } = choice;
      const found = await parts.local.ask(egress === undefined ? probe : { ...probe, egress }, patience);
      return isNotOurs(found) ? 'ask_another' : found;
    }
    case 'other': {
      const found = await parts.queue.ask({ ...probe, egress: choice.egress }, patience);
      return found === 'ask_another' || isNotOurs(found) ? 'ask_another' : found;
    }
    case 'nobody':
      return noProber;
  }
}

function chooseEgress({ address, route }: Probe, { egress: kept, policies }: DispatcherParts): Choice {
  const egress = kept();
  const { asking, group, spread, routes: allowed } = policies.policyFor(route.first.name);
  // Hosts that this installation does not ask are settled here: a prober elsewhere has a policy of its own.
  if (asking !== 'probe' || egress.areAllOurs()) return { kind: 'own', egress: undefined };
  const allowedNow = egress.addresses().filter(({ name }) => allowed?.includes(name) !== false);
  const well = allowedNow.filter((one) => one.well);
  // A process of ours that cannot ask says why, and tries now and then; a prober outside that is not well is not believed.
  const candidates = well.length > 0 ? well : allowedNow.filter(({ kind }) => kind === 'inside');
  const [name] = egressFor(
    { group, spread, mailbox: address.email },
    candidates.map((one) => one.name),
  );
  if (name === undefined) return { kind: 'nobody' };
  return egress.isOurs(name) ? { kind: 'own', egress: name } : { kind: 'other', egress: name };
}

/** The address changed hands before anything was sent. */
function isNotOurs(evidence: MailboxEvidence): boolean {
  return evidence.kind === 'no_answer' && evidence.reason === 'no_prober';
}

const noProber: MailboxEvidence = {
  kind: 'no_answer',
  reason: 'no_prober',
  meaning: undefined,
  connected: false,
  host: undefined,
  replies: [],
};
