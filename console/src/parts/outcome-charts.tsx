import { BarChart, statusPart } from './bar-chart.tsx';
import { StatusBadge } from './status-badge.tsx';
import { shownStatuses } from './statuses.ts';
import type { ProviderCount, StatusCount } from './tally.ts';

/** As many providers as are worth a bar of their own. */
export const providersShown = 9;

/** Statuses that did not occur yet are listed too, so that nothing moves when one does. */
function everyStatus(counts: StatusCount[]): StatusCount[] {
  return shownStatuses.flatMap((status) => {
    const found = counts.find((one) => one.status === status);
    if (found !== undefined) return [found];
    return status === 'rejected' ? [] : [{ status, count: 0 }];
  });
}

type OutcomeChartsProps = {
  total: number;
  statuses: StatusCount[];
  /** The largest first, at most as many as are shown. */
  providers: ProviderCount[];
};

/** How many addresses ended with which status, and at which provider. */
export function OutcomeCharts({ total, statuses, providers }: OutcomeChartsProps) {
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">Outcome</h2>
      <div class="charts">
        <BarChart
          caption="By status"
          of="Status"
          total={total}
          bars={everyStatus(statuses).map((part) => ({
            key: part.status,
            label: <StatusBadge status={part.status} />,
            count: part.count,
            parts: [statusPart(part)],
          }))}
        />
        <BarChart
          caption="By provider"
          of="Provider"
          total={total}
          bars={providers.map(({ provider, count, statuses: ended }) => ({
            key: provider,
            label: provider,
            count,
            parts: ended.map(statusPart),
          }))}
        />
      </div>
    </section>
  );
}
