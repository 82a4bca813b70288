import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ServiceHealth } from '@mailproof/client';
import { useConsole } from '../app/use-console.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { useAttempt } from '../loading/use-attempt.ts';
import { Time } from '../parts/time.tsx';
import { reasonSentence } from '../parts/reason-sentence.ts';
import { TableHead } from '../parts/table-head.tsx';

/** Mail hosts that are left alone for a while, egress routes, and live processes. */
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

/** A route that providers block can be used again at once, as a paused mail host can. */
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

/** A process that hears of the end a moment later still lists the host, so an ended pause is hidden here. */
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

type SmallTableProps = { title: string; nothing: string; heads: string[]; rows: ComponentChildren[][] };

export function SmallTable({ title, nothing, heads, rows }: SmallTableProps) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="hint">{nothing}</p>
      ) : (
        <div class="table-scroll" role="group" aria-label={title} tabIndex={0}>
          <table>
            <caption class="visually-hidden">{title}</caption>
            <TableHead columns={heads} />
            <tbody>
              {rows.map((cells, i) => (
                <tr key={i}>
                  {cells.map((cell, j) => (j === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
