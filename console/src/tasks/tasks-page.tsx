import { Page } from '../app/page.tsx';
import { PagesEnd } from '../loading/pages-end.tsx';
import { useEvery, useLoaded } from '../loading/use-loaded.ts';
import { usePages } from '../loading/use-pages.ts';
import { WhenRead } from '../loading/when-read.tsx';
import { useConsole } from '../app/use-console.ts';
import { TaskTable } from './task-table.tsx';

const lookAgainMs = 3_000;

export function TasksPage() {
  const { api } = useConsole();
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
            nothing="No tasks yet. Tasks are created through the API. Your lists are under Lists."
          />
        </section>
      </WhenRead>
    </Page>
  );
}
