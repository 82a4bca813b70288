import type { AdminRequestTrace, ServiceHealth } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { type Failure, failureOf } from '../../api/call.ts';
import { pathTo } from '../../app/base-path.ts';
import type { FeatureCard } from '../../app/features.ts';
import { useEvery, useLoaded } from '../../app/loading.ts';
import { FailureNotice, Page, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { TaskState, taskTitle } from '../../core/tasks/tasks-page.tsx';
import { Facts, Notice, Time } from '../../parts/elements.tsx';
import { grouped } from '../../parts/format.ts';
import { HealthTables, UnknownCard, VerdictsCard } from './health-tables.tsx';

const lookAgainMs = 10_000;

/** The health of the engine and the queue, read again every few seconds. */
export function HealthPage({ cards }: { cards: readonly FeatureCard[] }) {
  const { api, features } = useConsole();
  const health = useLoaded(() => api.admin.health());
  useEvery(lookAgainMs, () => void health.reload(), true);
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
        {cards.map(({ feature, Card }) => (features.has(feature) ? <Card key={feature} /> : null))}
        <RequestSearch />
      </WhenRead>
    </Page>
  );
}

/** The service counts tasks up to this number. */
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

/** Finds the effect of a request by the ID in its answer. */
function RequestSearch() {
  const { api, announcer } = useConsole();
  const id = useSignal('');
  const found = useSignal<AdminRequestTrace | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const search = async () => {
    found.value = undefined;
    failure.value = undefined;
    try {
      found.value = await api.admin.findRequest(id.value.trim());
      announcer.say('Request found');
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  return (
    <section class="card" aria-labelledby="request-title">
      <h2 id="request-title">Find a request</h2>
      <form
        class="fields"
        role="search"
        aria-labelledby="request-title"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <div class="field">
          <label for="request-id">Request ID</label>
          <input
            id="request-id"
            required
            autocomplete="off"
            spellcheck={false}
            value={id.value}
            onInput={(event) => (id.value = event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="button">
          Find request
        </button>
      </form>
      {failure.value === undefined ? null : <FailureNotice failure={failure.value} />}
      {found.value === undefined ? null : <Trace trace={found.value} />}
    </section>
  );
}

function Trace({ trace }: { trace: AdminRequestTrace }) {
  const { credits, task } = trace;
  const facts = [
    ['Kind', trace.kind],
    ['Time', <Time at={trace.at} />],
    ['Account', <a href={pathTo(`/operator/accounts/${trace.account_id}`)}>{trace.account_id}</a>],
    ['Credits reserved', grouped(credits.reserved)],
    ['Charged', grouped(credits.charged)],
    ['Returned', grouped(credits.released)],
    ...(task === undefined
      ? []
      : ([
          ['Task', taskTitle(task.name)],
          ['State', <TaskState task={task} />],
        ] as const)),
  ] as const;
  return <Facts facts={facts} />;
}
