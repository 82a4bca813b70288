import type { AuditLogEntry } from '@mailproof/client';
import { usePages } from '../../app/loading.ts';
import { Page, PagesEnd, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { TableHead, Time } from '../../parts/elements.tsx';

/** The log of all changes with actor and time. Entries are never changed or removed. */
export function AuditPage() {
  const { api } = useConsole();
  const pages = usePages(async (before) => {
    const { entries, next } = await api.admin.auditLog({ before });
    return { items: entries, next };
  });
  return (
    <Page
      title="Audit log"
      lead="Every change to accounts, plans, credits and keys, made through the API, the console or the command line."
    >
      <WhenRead of={[pages]}>
        <section class="card" aria-label="Audit log">
          {pages.items.value.length === 0 ? null : <AuditTable entries={pages.items.value} />}
          <PagesEnd pages={pages} nothing="No changes yet." />
        </section>
      </WhenRead>
    </Page>
  );
}

function AuditTable({ entries }: { entries: readonly AuditLogEntry[] }) {
  return (
    <table class="changes">
      <caption class="visually-hidden">Changes, newest first</caption>
      <TableHead columns={['Time', 'Change', 'Actor', ['Subject', 'wide-only']]} />
      <tbody>
        {entries.map(({ number, at, action, actor, subject, detail }) => (
          <tr key={number}>
            <td>
              <Time at={at} />
            </td>
            <th scope="row">
              {action.replaceAll('_', ' ')} <span class="hint">{detailText(detail)}</span>
            </th>
            <td>{actor.replaceAll('_', ' ')}</td>
            <td class="wide-only">
              <code>{subject}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function detailText(detail: AuditLogEntry['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(', ');
}
