import type { ServiceHealth } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useAttempt } from '../../app/loading.ts';
import { FailureNotice } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { BarChart, ColumnsChart, statusPart } from '../../parts/charts.tsx';
import { SmallTable, StatusBadge, Time } from '../../parts/elements.tsx';
import { counted, grouped, localTime, percent } from '../../parts/format.ts';
import { providerName } from '../../parts/providers.ts';
import { reasonSentence, shownStatuses } from '../../parts/statuses.ts';
import { countUnknown, partsOf, totalOf } from './verdict-counts.ts';

/** Paused mail hosts, egress routes, and live processes. */
export function HealthTables({ health, onChanged }: { health: ServiceHealth; onChanged: () => void }) {
  const { resting, routes, processes } = health;
  return (
    <>
      <PausedHosts resting={resting} onChanged={onChanged} />
      <EgressRoutes routes={routes} onChanged={onChanged} />
      <SmallTable
        title="Processes"
        nothing="Processes: none have reported"
        heads={['Process', 'Role', 'Last seen']}
        rows={processes.map(({ id, role, seen_at: seenAt }) => [
          <code>{id}</code>,
          role,
          <Time at={seenAt} />,
        ])}
      />
    </>
  );
}

type EgressRoutesProps = { routes: ServiceHealth['routes']; onChanged: () => void };

/** Egress routes, with a button that ends the pause of a blocked one. */
function EgressRoutes({ routes, onChanged }: EgressRoutesProps) {
  const { end, isEnded, failure } = useEndRest(onChanged);
  return (
    <>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <SmallTable
        title="Egress routes"
        nothing="Egress routes: none"
        heads={['Route', 'State', 'Until', 'Action']}
        rows={routes.map(({ name, state, until, reason }) => [
          name,
          reason === undefined ? state : `${state}: ${reasonSentence(reason)}`,
          until === undefined ? '–' : <Time at={until} />,
          state !== 'resting' || until === undefined || isEnded(name, until) ? (
            '–'
          ) : (
            <EndPause name={name} onClick={() => void end(name, until)} />
          ),
        ])}
      />
    </>
  );
}

type PausedHostsProps = { resting: ServiceHealth['resting']; onChanged: () => void };

/** Ends pauses. Other processes list the host a moment longer, so an ended pause is hidden here. */
function useEndRest(onChanged: () => void) {
  const { api, announcer } = useConsole();
  const ended = useSignal<readonly string[]>([]);
  const { attempt, failure } = useAttempt();
  const end = (name: string, until: string) =>
    attempt(async () => {
      await api.admin.endRest(name);
      ended.value = [...ended.value, `${name} ${until}`];
      announcer.say(`${name} can be asked again`);
      onChanged();
    });
  return { end, failure, isEnded: (name: string, until: string) => ended.value.includes(`${name} ${until}`) };
}

function EndPause({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button type="button" class="button" aria-label={`End pause of ${name}`} onClick={onClick}>
      End pause
    </button>
  );
}

function PausedHosts({ resting, onChanged }: PausedHostsProps) {
  const { end, isEnded, failure } = useEndRest(onChanged);
  const shown = resting.filter(({ name, until }) => !isEnded(name, until));
  return (
    <>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      <SmallTable
        title="Paused mail hosts"
        nothing="Paused mail hosts: none"
        heads={['Host', 'Why', 'Until', 'Action']}
        rows={shown.map(({ kind, name, reason, until }) => [
          <>
            {name} <span class="tag">{kind}</span>
          </>,
          reasonSentence(reason),
          <Time at={until} />,
          <EndPause name={name} onClick={() => void end(name, until)} />,
        ])}
      />
    </>
  );
}

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

/** The share of unknown verdicts, their reasons, and verdicts by provider. */
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
