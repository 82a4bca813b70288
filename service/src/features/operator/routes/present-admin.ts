import type { ListedEgress } from '../../probers/list-egress.ts';
import type { ListedProber } from '../../probers/list-probers.ts';
import type {
  AdminEgressAddress,
  AdminProber,
  AdminAccount,
  AdminRequestTrace,
  AuditLogEntry,
  ServiceHealth,
  StatusCounts,
  VerificationStatus,
} from '@mailproof/client';
import type { AccountState } from '../find-accounts.ts';
import type { AuditEntry } from '../audit-log/list-changes.ts';
import type { RequestTrace } from '../find-request.ts';
import type { Health } from '../read-health.ts';
import { isoTime, presentListedTask } from '../../account/routes/present-account.ts';

/** What the operator sees, in the words and forms of the contract. */
export function presentAdminAccount(state: AccountState): AdminAccount {
  const { accountId, createdAt, requestsPerMinute, ...account } = state;
  return {
    account_id: accountId,
    ...account,
    requests_per_minute: requestsPerMinute,
    created_at: isoTime(createdAt),
  };
}

export function presentTrace({ requestId, accountId, at, task, ...trace }: RequestTrace): AdminRequestTrace {
  return {
    request_id: requestId,
    account_id: accountId,
    ...trace,
    at: isoTime(at),
    ...(task === undefined ? {} : { task: presentListedTask(task) }),
  };
}

export function presentChange({ at, ...entry }: AuditEntry): AuditLogEntry {
  return { ...entry, at: isoTime(at) };
}

/** Complete by its type. */
const statuses: Record<VerificationStatus, true> = {
  safe: true,
  invalid: true,
  disabled: true,
  disposable: true,
  inbox_full: true,
  catch_all: true,
  role_account: true,
  spamtrap: true,
  unknown: true,
};

export function presentHealth(health: Health): ServiceHealth {
  const { verdicts, queue, engine } = health;
  return {
    verdicts: verdicts.steps.map(({ beginsAt, stepMs, counts }) => ({
      from: isoTime(beginsAt),
      minutes: stepMs / 60_000,
      counts: statusCounts(Object.entries(counts)),
    })),
    ...presentTotals(verdicts.totals),
    resting: health.resting.map(({ until, ...party }) => ({ ...party, until: isoTime(until) })),
    routes: health.routes.map(({ until, ...route }) => ({
      ...route,
      ...(until === undefined ? {} : { until: isoTime(until) }),
    })),
    queue: {
      waiting: queue.waiting,
      running: queue.running,
      oldest_waiting_at: isoTimeOrNull(queue.oldestWaitingAt),
    },
    processes: health.processes.map(({ id, role, startedAt, seenAt }) => ({
      id,
      role,
      started_at: isoTimeOrNull(startedAt),
      seen_at: isoTime(seenAt),
    })),
    proxy_problem: health.proxyProblem ?? null,
    engine: {
      dns_queries: engine.dnsQueries,
      dialled: engine.dialled,
      forbidden: engine.forbidden,
      breaches: engine.breaches,
      conversations_open: engine.conversationsOpen,
      conversations_waiting: engine.conversationsWaiting,
      mail_port_problem: engine.mailPortProblem ?? null,
      identity_problem: engine.identityProblem ?? null,
      resolver_problem: engine.resolverProblem ?? null,
      control_problem: engine.controlProblem ?? null,
      reputation_problem: engine.reputationProblem ?? null,
    },
  };
}

type OutcomeTotals = Health['verdicts']['totals'];

function presentTotals(
  totals: OutcomeTotals,
): Pick<ServiceHealth, 'unknown_reasons' | 'failures' | 'providers'> {
  const verdicts = totals.filter(({ outcome }) => isStatus(outcome));
  const unknown = verdicts.filter(({ outcome }) => outcome === 'unknown');
  const providers = Map.groupBy(verdicts, ({ provider }) => provider);
  const sizeOf = (rows: OutcomeTotals) => rows.reduce((sum, row) => sum + row.verdicts, 0);
  return {
    unknown_reasons: sumsBy(unknown, ({ reason }) => reason).map(([reason, count]) => ({ reason, count })),
    failures: sumsBy(totals, ({ outcome }) => outcome).flatMap(([reason, count]) =>
      isFailure(reason) ? [{ reason, count }] : [],
    ),
    providers: [...providers]
      .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a))
      .map(([provider, rows]) => ({
        provider,
        counts: statusCounts(sumsBy(rows, ({ outcome }) => outcome)),
      })),
  };
}

/** The largest first. */
function sumsBy(rows: OutcomeTotals, nameOf: (row: OutcomeTotals[number]) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.verdicts);
  return [...sums].sort(([, a], [, b]) => b - a);
}

function statusCounts(counts: [string, number][]): StatusCounts {
  const shown: StatusCounts = {};
  for (const [outcome, count] of counts) if (isStatus(outcome)) shown[outcome] = count;
  return shown;
}

function isStatus(outcome: string): outcome is VerificationStatus {
  return Object.hasOwn(statuses, outcome);
}

function isFailure(outcome: string): outcome is ServiceHealth['failures'][number]['reason'] {
  return outcome === 'verification_unavailable' || outcome === 'verification_timeout';
}

function isoTimeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(ms);
}

export function presentProber(prober: ListedProber): AdminProber {
  const { proberId, whyNot, enrolledAt, seenAt, share, given, ignored } = prober;
  const { name, state, address, version, conversations, resting, answered, unknown, egress } = prober;
  return {
    prober_id: proberId,
    name,
    state,
    why_not: whyNot,
    address,
    version,
    enrolled_at: isoTimeOrNull(enrolledAt ?? undefined),
    seen_at: isoTimeOrNull(seenAt ?? undefined),
    conversations,
    resting,
    answered,
    unknown,
    share,
    egress_given: given,
    egress,
    egress_ignored: ignored,
  };
}

export function presentEgress(address: ListedEgress): AdminEgressAddress {
  const { name, state, whyNot, owner, seenAt, leaseUntil, conversations, resting } = address;
  return {
    name,
    state,
    why_not: whyNot,
    owner,
    seen_at: isoTimeOrNull(seenAt ?? undefined),
    lease_until: isoTimeOrNull(leaseUntil ?? undefined),
    conversations,
    resting,
  };
}
