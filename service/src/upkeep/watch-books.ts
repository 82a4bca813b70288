import { freezeAccount } from '../credits/freeze-account.ts';
import type { Violation } from '../credits/violation.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { audit, type AuditReport } from './audit.ts';

type WatchBooksParts = {
  store: Store;
  wallClock: WallClock;
  onViolation: (violation: Violation) => void;
};

export const auditEveryMs = 5 * 60_000;

/**
 * Audits and freezes: everything the first time, later the accounts touched since the previous audit. An account whose
 * ledger does not balance can reserve nothing until an operator has looked at it; nothing is repaired automatically.
 */
export function createWatchBooks(parts: WatchBooksParts): () => Promise<AuditReport> {
  let since = 0;
  return async () => {
    const startedAt = parts.wallClock.now();
    const report = await audit(parts, { since });
    const broken = Map.groupBy(report.violations, (violation) => violation.accountId);
    for (const [accountId, violations] of broken) {
      const because = [...new Set(violations.map(({ invariant }) => invariant))].join(' ');
      const frozen = { accountId, because, now: startedAt };
      await parts.store.write((tx) => freezeAccount(tx, frozen), accountId);
    }
    report.violations.forEach(parts.onViolation);
    // A little overlap: what was committed while the last audit began is audited again.
    since = startedAt - overlapMs;
    return report;
  };
}

const overlapMs = 60_000;
