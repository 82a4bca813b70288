import { type Answer, bulkPath, type Call, chargedBy, singlePath } from '../../support/api-client.ts';
import type { WatchedAccount } from '../endurance/expectations.ts';
import type { Installation } from './open-installation.ts';

/**
 * What clients were told, request by request, held against the ledger. A request and the hold it opened have the same
 * id, so each answer can be asked what became of its credits.
 */
export type History = {
  take: (call: Call, answer: Answer) => void;
  /** What was heard since this was last asked. */
  drain: () => Heard[];
};

type Heard = {
  requestId: string;
  kind: 'single' | 'bulk';
  apiKey: string;
  status: number;
  creditsUsed: number;
};

export function createHistory(): History {
  let heard: Heard[] = [];
  return {
    take: ({ method = 'POST', path, key: apiKey = '' }, answer) => {
      if (method !== 'POST' || answer.kind === 'lost' || (path !== singlePath && path !== bulkPath)) return;
      const kind = path === singlePath ? 'single' : 'bulk';
      heard.push({
        requestId: answer.requestId,
        kind,
        apiKey,
        status: answer.status,
        creditsUsed: chargedBy(answer),
      });
    },
    drain: () => {
      const all = heard;
      heard = [];
      return all;
    },
  };
}

type Hold = { credits: number; charged: number; settled: boolean };

async function holdsOf(
  heard: readonly Heard[],
  { query }: Pick<Installation, 'query'>,
): Promise<Map<string, Hold>> {
  const ids = heard.map(({ requestId }) => requestId);
  const rows = await query('select id, credits, charged, state from hold where id = any($1)', [ids]);
  return new Map(
    rows.map(({ id, credits, charged, state }) => [
      String(id),
      { credits: Number(credits), charged: Number(charged), settled: state === 'settled' },
    ]),
  );
}

const isRefusal = ({ status }: Heard) => status >= 400;

/**
 * The database was lost at the very moment of a commit: the service cannot know whether it happened, reveals nothing and
 * answers 503. Who sent a key learns it by asking again; who sent none may have been charged. This says for how much.
 */
export async function countInDoubt(
  heard: readonly Heard[],
  account: WatchedAccount,
  installation: Pick<Installation, 'query'>,
): Promise<number> {
  const refused = heard.filter((one) => isRefusal(one) && one.apiKey === account.liveKey);
  const holds = await holdsOf(refused, installation);
  return holds.values().reduce((sum, hold) => sum + (hold.settled ? hold.charged : hold.credits), 0);
}

type HistoryFindings = {
  violations: string[];
  chargedAtCommit: number;
  chargedOfKeyless: number;
  /** Which those are. */
  refusals: { requestId: string; answered: string }[];
};

/** To be asked when nothing is under way. `keyless` is the key of those who cannot ask again. */
export async function checkHistory(
  heard: readonly Heard[],
  keyless: string,
  installation: Pick<Installation, 'query'>,
): Promise<HistoryFindings> {
  const holds = await holdsOf(heard, installation);
  const findings: HistoryFindings = { violations: [], chargedAtCommit: 0, chargedOfKeyless: 0, refusals: [] };
  for (const one of heard) {
    const hold = holds.get(one.requestId);
    const charged = hold?.charged ?? 0;
    if (hold?.settled === false) findings.violations.push(`hold ${one.requestId} is still open`);
    if (one.kind === 'single' && one.status === 200 && charged !== one.creditsUsed)
      findings.violations.push(`single ${one.requestId}: told ${one.creditsUsed}, charged ${charged}`);
    if (isRefusal(one) && charged > 0) {
      findings.chargedAtCommit += 1;
      findings.refusals.push({ requestId: one.requestId, answered: `${one.status} to ${one.kind}` });
      if (one.apiKey === keyless) findings.chargedOfKeyless += 1;
    }
  }
  return findings;
}
