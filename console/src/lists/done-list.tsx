import { useConsole } from '../shell/use-console.ts';
import { counted } from '../parts/format.ts';
import { Counts } from './ready-list.tsx';
import { DownloadForm } from './download-form.tsx';
import type { OpenList } from './open-list.ts';

/** The whole answer: what it came to, the file to take home, and every row. */
export function DoneList({ list }: { list: OpenList }) {
  const { lists, session } = useConsole();
  const state = session.state.value;
  const isFree = state.kind === 'account' && state.account.key.mode === 'test';
  const charged = list.answers.filter(
    (answer) => answer !== undefined && answer.status !== 'unknown' && answer.status !== 'rejected',
  ).length;
  return (
    <section class="card desk-card" aria-labelledby="done-title">
      <div class="card-head">
        <h2 id="done-title">{list.name} is checked</h2>
        <button type="button" class="button button-small" onClick={() => void lists.clear()}>
          Check another list
        </button>
      </div>
      <Counts list={list} />
      <DownloadForm list={list} />
      <p class="hint">
        {isFree ? 'Nothing was charged (test key).' : `${counted(charged, 'credit')} charged.`} The list and
        its answers are kept in this browser until you check another one or sign out.
      </p>
    </section>
  );
}
