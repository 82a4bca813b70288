import type { ServiceHealth } from '@mailproof/client';
import { Facts } from '../parts/facts.tsx';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { grouped } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../app/page.tsx';
import { Time } from '../parts/time.tsx';
import { useEvery, useLoaded } from '../loading/use-loaded.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { HealthTables } from './health-tables.tsx';
import { ProbersCard } from './probers-card.tsx';
import { RequestSearch } from './request-search.tsx';
import { UnknownCard, VerdictsCard } from './verdicts-card.tsx';

const lookAgainMs = 10_000;

/** How the engine and the queue are, read again every few seconds. */
export function HealthPage() {
  const { api } = useConsole();
  const health = useLoaded(() => api.admin.health());
  const probers = useLoaded(() => api.admin.probers());
  useEvery(lookAgainMs, () => void Promise.all([health.reload(), probers.reload()]), true);
  const known = health.value.value;
  return (
    <Page title="Health">
      <WhenRead of={[health]}>
        {health.failure.value === undefined ? null : <FailureNotice failure={health.failure.value} />}
        {known === undefined ? null : (
          <>
            {known.engine.mail_port_problem === null ? null : (
              <Notice tone="problem" title="Mail servers cannot be reached">
                <p>{known.engine.mail_port_problem}</p>
              </Notice>
            )}
            {known.engine.identity_problem === null ? null : (
              <Notice tone="problem" title="Public mail servers are not asked under this name">
                <p>{known.engine.identity_problem}</p>
              </Notice>
            )}
            {known.engine.resolver_problem === null ? null : (
              <Notice tone="problem" title="The DNS resolver cannot be trusted">
                <p>{known.engine.resolver_problem}</p>
              </Notice>
            )}
            {known.engine.control_problem === null ? null : (
              <Notice tone="problem" title="A provider rejects mailboxes that exist">
                <p>{known.engine.control_problem}</p>
              </Notice>
            )}
            {known.engine.reputation_problem === null ? null : (
              <Notice tone="problem" title="An egress address is refused">
                <p>{known.engine.reputation_problem}</p>
              </Notice>
            )}
            {known.proxy_problem === null ? null : (
              <Notice tone="problem" title="All clients behind a proxy count as one">
                <p>{known.proxy_problem}</p>
              </Notice>
            )}
            <Now health={known} />
            <VerdictsCard verdicts={known.verdicts} />
            <UnknownCard health={known} />
            <HealthTables health={known} onChanged={() => void health.reload()} />
          </>
        )}
        {probers.failure.value === undefined ? null : <FailureNotice failure={probers.failure.value} />}
        {probers.value.value === undefined ? null : <ProbersCard {...probers.value.value} />}
        <RequestSearch />
      </WhenRead>
    </Page>
  );
}

/** The service counts tasks up to here. */
const mostTasksCounted = 10_000;

const orMore = (tasks: number) => (tasks < mostTasksCounted ? tasks : `${grouped(tasks)} or more`);

function Now({ health: { queue, engine } }: { health: ServiceHealth }) {
  return (
    <section class="card" aria-labelledby="now-title">
      <h2 id="now-title">Now</h2>
      <Facts
        facts={[
          ['Tasks waiting', orMore(queue.waiting)],
          ['Tasks running', orMore(queue.running)],
          ['Open SMTP conversations', engine.conversations_open],
          ['Addresses waiting', engine.conversations_waiting],
          ['DNS resolver', engine.resolver_problem === null ? 'Working' : 'Not trusted'],
          ['DNS queries', engine.dns_queries],
          ['Connections opened', engine.dialled],
        ]}
      />
      {queue.oldest_waiting_at === null ? null : (
        <p class="hint">
          The oldest waiting task was created on <Time at={queue.oldest_waiting_at} />.
        </p>
      )}
    </section>
  );
}
