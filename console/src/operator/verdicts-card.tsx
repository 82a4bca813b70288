import type { ServiceHealth } from '@mailproof/client';
import { BarChart, statusPart } from '../parts/bar-chart.tsx';
import { ColumnsChart } from '../parts/columns-chart.tsx';
import { counted, grouped, localTime, percent } from '../parts/format.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { providerName } from '../parts/provider-name.ts';
import { shownStatuses } from '../parts/statuses.ts';
import { reasonSentence } from '../parts/reason-sentence.ts';
import { countUnknown, partsOf, totalOf } from './verdict-counts.ts';

/** Verdicts over time, by status. */
export function VerdictsCard({ verdicts }: Pick<ServiceHealth, 'verdicts'>) {
  const total = verdicts.reduce((sum, { counts }) => sum + totalOf(counts), 0);
  const seen = shownStatuses.filter((status) =>
    verdicts.some(({ counts }) => partsOf(counts).some((part) => part.status === status)),
  );
  return (
    <section class="card" aria-labelledby="verdicts-title">
      <h2 id="verdicts-title">Verdicts</h2>
      <ColumnsChart
        title="Verdicts over time"
        summary={`${counted(total, 'verdict')}; each column is ${counted(verdicts[0]?.minutes ?? 0, 'minute')}.`}
        of="From"
        columns={verdicts.map(({ from, counts }) => ({
          key: from,
          label: localTime(from),
          parts: partsOf(counts).map(statusPart),
        }))}
      />
      <ul class="legend" aria-label="Colours">
        {seen.map((status) => (
          <li key={status}>
            <StatusBadge status={status} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How much stays unknown and why, and how it differs by provider. */
export function UnknownCard({ health }: { health: ServiceHealth }) {
  const { verdicts, unknown_reasons: reasons, failures, providers } = health;
  const { unknown, total } = countUnknown(verdicts);
  const all = providers.reduce((sum, { counts }) => sum + totalOf(counts), 0);
  return (
    <section class="card" aria-labelledby="unknown-title">
      <div class="card-head">
        <h2 id="unknown-title">Unknown</h2>
        <span>
          {percent(unknown, total)}{' '}
          <span class="hint">
            ({grouped(unknown)} of {grouped(total)})
          </span>
        </span>
      </div>
      <div class="charts">
        <BarChart
          caption="Unknown by reason"
          of="Reason"
          total={reasons.reduce((sum, { count }) => sum + count, 0)}
          bars={reasons.map(({ reason, count }) => ({
            key: reason,
            label: <span title={reasonSentence(reason)}>{reason.replaceAll('_', ' ')}</span>,
            count,
            parts: [statusPart({ status: 'unknown', count })],
          }))}
        />
        <BarChart
          caption="Verdicts by provider"
          of="Provider"
          total={all}
          bars={providers.map(({ provider, counts }) => ({
            key: provider,
            label: providerName(provider),
            count: totalOf(counts),
            parts: partsOf(counts).map(statusPart),
          }))}
        />
      </div>
      {failures.length === 0 ? null : (
        <p class="hint">
          Without a result:{' '}
          {failures.map(({ reason, count }) => `${reason.replaceAll('_', ' ')} ${grouped(count)}`).join(', ')}
        </p>
      )}
    </section>
  );
}
