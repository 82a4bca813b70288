import { type Answer, bulkPath, type Call, chargedBy, singlePath } from '../../support/api-client.ts';
import type { WatchedAccount } from '../endurance/expectations.ts';
import type { Installation } from './open-installation.ts';

/**
 * The answers of clients, request by request, checked against the ledger. A request and its hold have the same id,
 * so the credits of each answer can be looked up.
 */
export type History = {
  take: (call: Call, answer: Answer) => void;
  /** Returns the answers since the last call. */
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
 * Returns the charges in doubt. If the database is lost at the moment of a commit, the service cannot know whether
 * it happened, reveals nothing and answers 503. A client with a key learns it by asking again; one without may have
 * been charged.
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
  /** The requests concerned. */
  refusals: { requestId: string; answered: string }[];
};

/** Checks the history; call it when nothing is running. `keyless` is the key of clients that cannot ask again. */
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
