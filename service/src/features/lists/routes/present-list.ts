import type { ListRecord } from '@mailproof/client';
import type { List } from '../list.ts';
import type { ListProgress } from '../read-lists.ts';

/** A list in the words and forms of the contract. */
export function presentList(list: List, progress: ListProgress): ListRecord {
  const { counts, run, plan } = list;
  const { state } = list;
  if (state === 'receiving' || state === 'deleted') throw new Error('a list that nobody may see was shown');
  const isSandbox = list.mode === 'test';
  const isOpen = state === 'running' || state === 'paused';
  return {
    list_id: list.id,
    name: list.name,
    state,
    sandbox: isSandbox,
    ...counts,
    split: list.split,
    suggestions: list.suggestions,
    columns: (plan?.layout.columns ?? []).map(({ name, samples }, index) => ({ index, name, samples })),
    column: plan?.layout.column ?? -1,
    credits_needed: isSandbox ? 0 : counts.addresses,
    wanted: run.wanted,
    checked: run.checked,
    waiting: run.waiting,
    waiting_until: isoTime(run.nextDue),
    finishing: run.finishing,
    progress_percentage: progressOf(list),
    by_status: progress.byStatus,
    by_provider: progress.byProvider,
    by_provider_and_status: progress.byProviderAndStatus,
    expected_seconds: list.expectedSeconds,
    expected_end: isoTime(progress.expectedEnd),
    credits_reserved: isOpen && !isSandbox ? run.wanted : 0,
    credits_used: isSandbox ? 0 : run.conclusive,
    created_by: list.createdBy,
    created_at: new Date(list.createdAt).toISOString(),
    started_at: isoTime(list.startedAt),
    ended_at: isoTime(list.endedAt),
    expires_at: new Date(list.expiresAt).toISOString(),
  };
}

/** Two decimals at most; 100 once it is completed, and not before. */
function progressOf({ state, run }: List): number {
  if (state === 'completed') return 100;
  if (run.wanted === 0) return 0;
  return Math.min(99.99, Math.floor((10_000 * run.checked) / run.wanted) / 100);
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
