import type { AccountKey, AccountTask } from '@mailproof/client';
import { counted, grouped } from '../parts/format.ts';
import { Time } from '../parts/time.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { pathTo } from '../app/base-path.ts';

type TaskTableProps = {
  tasks: readonly AccountTask[];
  /** To name the key that made a task; one that is not among them was deleted. */
  keys: readonly AccountKey[] | undefined;
  /** Whether a task can be opened: results are the account's alone, the operator does not see them. */
  canOpen: boolean;
};

/** What ran, when, by which key, how far. */
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

/** The service puts `API: ` before every name. */
export function taskTitle(name: string): string {
  return name.replace(/^API: /, '');
}

export function keyName(keyId: string | null, keys: readonly AccountKey[] | undefined): string {
  if (keyId === null) return '–';
  if (keys === undefined) return '…';
  const key = keys.find(({ key_id: id }) => id === keyId);
  return key === undefined ? 'deleted key' : key.name || `…${key.last4}`;
}
