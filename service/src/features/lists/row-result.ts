import type { ListRow } from '@mailproof/client';
import type { List } from './list.ts';

/**
 * What a row of a list says, for whoever shows or writes it. A duplicate says what the row says that has its address
 * first.
 */
export type RowResult = {
  row: number;
  kind: 'address' | 'duplicate' | 'rejected' | 'blank';
  email: string | null;
  /** As in the contract, or `rejected`; null where there is no answer (yet). */
  status: string | null;
  score: number | null;
  safeToSend: boolean | null;
  deliverable: boolean | null;
  /** Why: the reason of the verdict, of the rejection, or of there being none. */
  reason: string;
  provider: string | null;
  repaired: string | null;
  /** The large provider's domain that was most likely meant. */
  didYouMean: string | null;
};

/** A row with the answer of the row that has its address first. */
export type JoinedRow = {
  row: number;
  kind: RowResult['kind'];
  email: string | null;
  repaired: string | null;
  fault: string | null;
  answered: number;
  status: string | null;
  score: number | null;
  safe: number | null;
  deliverable: number | null;
  reason: string | null;
  provider: string | null;
  did_you_mean: string | null;
  next_at: number | null;
};

export function rowResult(joined: JoinedRow, list: Pick<List, 'state' | 'run'>): RowResult {
  const { row, kind, email, repaired } = joined;
  const silent = {
    row,
    kind,
    email,
    repaired,
    status: null,
    score: null,
    safeToSend: null,
    deliverable: null,
    provider: null,
    didYouMean: null,
  };
  switch (kind) {
    case 'blank':
      return { ...silent, reason: 'blank' };
    case 'rejected':
      return { ...silent, status: 'rejected', reason: joined.fault ?? '' };
    case 'address':
    case 'duplicate':
      if (joined.status === null) return { ...silent, ...unanswered(joined, list) };
      return {
        ...silent,
        status: joined.status,
        score: joined.score,
        safeToSend: flag(joined.safe),
        deliverable: flag(joined.deliverable),
        reason: joined.reason ?? '',
        provider: joined.provider,
        didYouMean: joined.did_you_mean,
      };
  }
}

/** Why there is no answer: not yet, not wanted, or the list ended first. */
function unanswered(
  { answered: firstRow, next_at: nextAt }: JoinedRow,
  { state, run }: Pick<List, 'state' | 'run'>,
): { status: string | null; reason: string } {
  const isWanted = state === 'surveyed' || firstRow <= run.lastRow;
  if (!isWanted) return { status: null, reason: 'not_wanted' };
  if (state === 'completed') return { status: 'unknown', reason: 'deadline_reached' };
  if (state === 'cancelled') return { status: null, reason: 'cancelled' };
  return { status: null, reason: nextAt === null ? 'pending' : 'waiting' };
}

function flag(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

/** A row in the words of the contract. */
export function presentRow({ safeToSend, deliverable, ...result }: RowResult): ListRow {
  const { row, email, status, score, reason, provider, repaired, didYouMean } = result;
  return {
    row,
    email,
    status,
    score,
    is_safe_to_send: safeToSend,
    is_deliverable: deliverable,
    reason,
    provider,
    repaired,
    did_you_mean: didYouMean,
  };
}

/** Which rows a download or a page holds. */
export type RowChoice = { kind: 'all' } | { kind: 'statuses'; statuses: ReadonlySet<string> };

const presets: Record<string, readonly string[]> = {
  sendable: ['safe', 'role_account'],
  risky: ['catch_all', 'inbox_full', 'unknown'],
  undeliverable: ['invalid', 'disabled', 'disposable', 'spamtrap', 'rejected'],
};

const statuses = new Set([...Object.values(presets).flat()]);

/** `all`, a preset, or statuses with commas between them; nothing where a word is none of these. */
export function readRowChoice(text: string, { roles }: { roles: boolean }): RowChoice | undefined {
  if (text === 'all') return { kind: 'all' };
  const wanted = presets[text] ?? text.split(',');
  if (!wanted.every((status) => statuses.has(status))) return undefined;
  const chosen = new Set(wanted);
  if (text === 'sendable' && !roles) chosen.delete('role_account');
  return { kind: 'statuses', statuses: chosen };
}

export function isChosen(choice: RowChoice, { status }: RowResult): boolean {
  return choice.kind === 'all' || (status !== null && choice.statuses.has(status));
}
