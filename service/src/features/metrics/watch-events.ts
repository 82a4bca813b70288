import type { OnGroup } from '../../core/store/groups/time-group.ts';
import type { CountedVerification } from '../../core/verify/count-singles.ts';
import type { SendOutcome } from '../webhooks/send-request.ts';
import type { Metrics } from './create-metrics.ts';

/** Events on their way into the figures. Whoever has one calls these; nobody below knows that they are counted. */

/** The provider is one of the table, `other` or `none`. */
export function watchVerifications(metrics: Metrics) {
  return ({ outcome: status, reason, timings }: CountedVerification, provider: string): void => {
    metrics.count('verifications', { status, reason, provider });
    if (timings === undefined) return;
    for (const stage of stages) {
      const ms = timings[stage];
      if (ms !== undefined) metrics.observe('verificationStageSeconds', { stage }, ms / 1_000);
    }
  };
}

const stages = ['dns', 'smtp', 'total'] as const;

export function watchGroups(metrics: Metrics): OnGroup {
  return ({ operations, tookMs, outcome }) => {
    metrics.observe('storeTransactionSeconds', { outcome }, tookMs / 1_000);
    metrics.observe('storeGroupOperations', {}, operations);
  };
}

export function watchWebhooks(metrics: Metrics) {
  return (outcome: SendOutcome, ms: number): void => {
    const name = outcome.kind === 'failed' ? outcome.why : `${Math.floor(outcome.status / 100)}xx`;
    metrics.observe('webhookSeconds', { outcome: name }, ms / 1_000);
  };
}

export function watchRequests(metrics: Metrics) {
  return (request: { method: string; route: string | undefined; status: number; ms: number }): void => {
    const { method, route = 'unmatched', status, ms } = request;
    const labels = { route, method: knownMethods.has(method) ? method : 'other', status: String(status) };
    metrics.observe('requestSeconds', labels, ms / 1_000);
  };
}

/** A client may send any method that the parser knows, and there are dozens. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'OPTIONS',
]);
