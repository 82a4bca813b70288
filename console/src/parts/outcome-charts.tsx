import { BarChart } from './bar-chart.tsx';
import { StatusBadge } from './status-badge.tsx';
import { shownStatuses } from './statuses.ts';
import { tallyByProvider, tallyByStatus, type StatusCount } from './tally.ts';

const providersShown = 9;

/** Statuses that did not occur yet are listed too, so that nothing moves when one does. */
function everyStatus(counts: StatusCount[]): StatusCount[] {
  return shownStatuses.flatMap((status) => {
    const found = counts.find((one) => one.status === status);
    if (found !== undefined) return [found];
    return status === 'rejected' ? [] : [{ status, count: 0 }];
  });
}

/** How many addresses ended with which status, and at which provider. */
export function OutcomeCharts({ answered }: { answered: { status: string; provider: string }[] }) {
  const statuses = everyStatus(tallyByStatus(answered));
  const providers = tallyByProvider(answered, providersShown);
  return (
    <section class="card" aria-labelledby="outcome-title">
      <h2 id="outcome-title">Outcome</h2>
      <div class="charts">
        <BarChart
          caption="By status"
          of="Status"
          total={answered.length}
          bars={statuses.map((part) => ({
            key: part.status,
            label: <StatusBadge status={part.status} />,
            count: part.count,
            parts: [part],
          }))}
        />
        <BarChart
          caption="By provider"
          of="Provider"
          total={answered.length}
          bars={providers.map(({ provider, count, statuses: parts }) => ({
            key: provider,
            label: provider,
            count,
            parts,
          }))}
        />
      </div>
    </section>
  );
}
