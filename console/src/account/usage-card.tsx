import type { Signal } from '@preact/signals';
import type { Usage } from '@mailproof/client';
import { ColumnsChart } from '../parts/columns-chart.tsx';
import { counted } from '../parts/format.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import type { Loaded } from '../loading/use-loaded.ts';

type UsageCardProps = { usage: Loaded<Usage>; span: Signal<number> };

/** Credits spent day by day, over so many days. */
export function UsageCard({ usage, span }: UsageCardProps) {
  const days = usage.value.value?.days;
  const charged = days?.reduce((sum, day) => sum + day.charged, 0) ?? 0;
  return (
    <section class="card usage" aria-labelledby="usage-title">
      <div class="card-head">
        <h2 id="usage-title">Usage</h2>
        <label class="inline-field">
          Days{' '}
          <select value={span.value} onChange={(event) => (span.value = Number(event.currentTarget.value))}>
            <option value={7}>7</option>
            <option value={30}>30</option>
            <option value={90}>90</option>
          </select>
        </label>
      </div>
      {usage.failure.value === undefined ? null : <FailureNotice failure={usage.failure.value} />}
      {days === undefined ? null : (
        <ColumnsChart
          title="Credits charged per day"
          summary={`${counted(charged, 'credit')} in ${counted(days.length, 'day')} (UTC days).`}
          of="Day"
          columns={days.map((day) => ({
            key: day.date,
            label: day.date,
            parts: [{ name: 'Charged', class: 'column-accent', count: day.charged }],
          }))}
        />
      )}
    </section>
  );
}
