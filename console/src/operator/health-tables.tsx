import type { ComponentChildren } from 'preact';
import type { ServiceHealth } from '@mailproof/client';
import { Time } from '../parts/time.tsx';
import { reasonSentence } from '../parts/reason-sentence.ts';
import { TableHead } from '../parts/table-head.tsx';

/** Mail hosts that are left alone for a while, egress routes, and live processes. */
export function HealthTables({ health }: { health: ServiceHealth }) {
  const { resting, routes, processes } = health;
  return (
    <>
      <SmallTable
        title="Paused mail hosts"
        nothing="Paused mail hosts: none"
        heads={['Host', 'Why', 'Until']}
        rows={resting.map(({ kind, name, reason, until }) => [
          <>
            {name} <span class="tag">{kind}</span>
          </>,
          reasonSentence(reason),
          <Time at={until} />,
        ])}
      />
      <SmallTable
        title="Egress routes"
        nothing="Egress routes: none"
        heads={['Route', 'State', 'Until']}
        rows={routes.map(({ name, state, until, reason }) => [
          name,
          reason === undefined ? state : `${state}: ${reasonSentence(reason)}`,
          until === undefined ? '–' : <Time at={until} />,
        ])}
      />
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
