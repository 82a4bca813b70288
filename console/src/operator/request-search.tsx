import { useSignal } from '@preact/signals';
import type { AdminRequestTrace } from '@mailproof/client';
import { failureOf, type Failure } from '../api/failure.ts';
import { grouped } from '../parts/format.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Time } from '../parts/time.tsx';
import { useConsole } from '../app/use-console.ts';
import { TaskState, taskTitle } from '../tasks/task-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { pathTo } from '../app/base-path.ts';

/** What a request did, by the id that every answer carries. */
export function RequestSearch() {
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
    ['What', trace.kind],
    ['When', <Time at={trace.at} />],
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
