import type { AccountKey, AccountTask } from '@mailproof/client';
import { pathTo } from '../../app/base-path.ts';
import { useEvery, useLoaded, usePages } from '../../app/loading.ts';
import { Page, PagesEnd, WhenRead } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { TableHead, Time } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';

const lookAgainMs = 3_000;

export function TasksPage() {
  const { api, features } = useConsole();
  const keys = useLoaded(() => api.client.keys.list());
  const pages = usePages(async (before) => {
    const { tasks, next } = await api.client.tasks({ before });
    return { items: tasks, next };
  });
  const tasks = pages.items.value;
  const isUnderWay = tasks.some(({ status }) => status !== 'completed');
  useEvery(lookAgainMs, () => void pages.reload(), isUnderWay);
  return (
    <Page title="Tasks" lead="Addresses checked through the API, up to 100 per task.">
      <WhenRead of={[keys, pages]}>
        <section class="card" aria-label="Tasks">
          {tasks.length === 0 ? null : <TaskTable tasks={tasks} keys={keys.value.value?.keys} canOpen />}
          <PagesEnd
            pages={pages}
            nothing={`No tasks yet. Tasks are created through the API.${features.has('lists') ? ' Your lists are under Lists.' : ''}`}
          />
        </section>
      </WhenRead>
    </Page>
  );
}

type TaskTableProps = {
  tasks: readonly AccountTask[];
  /** The keys that made the tasks; a missing key was deleted. */
  keys: readonly AccountKey[] | undefined;
  /** Tasks can be opened. The operator cannot: results are for the account alone. */
  canOpen: boolean;
};

/** Tasks with state, credits, key and time. */
export function TaskTable({ tasks, keys, canOpen }: TaskTableProps) {
  return (
    <table>
      <caption class="visually-hidden">Tasks, newest first</caption>
      <TableHead
        columns={[
          'Task',
          'State',
          ['Credits', 'number wide-only'],
          ['Key', 'wide-only'],
          ['Created', 'wide-only'],
        ]}
      />
      <tbody>
        {tasks.map((task) => (
          <tr key={task.task_id}>
            <th scope="row">
              {canOpen ? (
                <a href={pathTo(`/tasks/${task.task_id}`)}>{taskTitle(task.name)}</a>
              ) : (
                taskTitle(task.name)
              )}
              {task.mode === 'test' ? <span class="tag">test</span> : null}
              <span class="narrow-only hint">
                <Time at={task.created_at} />
              </span>
            </th>
            <td>
              <TaskState task={task} />
            </td>
            <td class="number wide-only">{grouped(task.credits_used)}</td>
            <td class="wide-only">{keyName(task.key_id, keys)}</td>
            <td class="wide-only">
              <Time at={task.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const states = { waiting: 'Waiting', running: 'Running', completed: 'Completed' } as const;

export function TaskState({ task }: { task: Pick<AccountTask, 'status' | 'count_checked' | 'count_total'> }) {
  const { status, count_checked: checked, count_total: total } = task;
  return (
    <span class="task-state">
      {states[status]}
      {status === 'completed' ? (
        <span class="hint">{counted(total, 'address', 'addresses')}</span>
      ) : (
        <>
          <progress class="progress" aria-label="Checked" value={checked} max={Math.max(total, 1)} />
          <span class="hint">
            {grouped(checked)} of {grouped(total)}
          </span>
        </>
      )}
    </span>
  );
}

/** Removes `API: `, which the service puts before every name. */
export function taskTitle(name: string): string {
  return name.replace(/^API: /, '');
}

export function keyName(keyId: string | null, keys: readonly AccountKey[] | undefined): string {
  if (keyId === null) return '–';
  if (keys === undefined) return '…';
  const key = keys.find(({ key_id: id }) => id === keyId);
  return key === undefined ? 'deleted key' : key.name || `…${key.last4}`;
}
