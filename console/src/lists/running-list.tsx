import { useEffect } from 'preact/hooks';
import { CreditsMissing } from '../check/credits-missing.tsx';
import type { Failure } from '../api/failure.ts';
import { counted, duration, grouped, percent } from '../parts/format.ts';
import { FailureNotice } from '../loading/failure-notice.tsx';
import { Notice } from '../parts/notice.tsx';
import { useConsole } from '../app/use-console.ts';
import type { RunProgress } from '../list-run/create-list-controller.ts';
import type { OpenList } from '../list-run/open-list.ts';
import { Counts } from './ready-list.tsx';

/** As many as verifyMany has under way. */
const tasksAtOnce = 4;

/** How far the check is, how fast it runs, and how long it still takes. */
export function RunningList({ list, progress }: { list: OpenList; progress: RunProgress }) {
  const { lists, announcer } = useConsole();
  const total = list.survey.addresses.length;
  const tenth = Math.floor((10 * progress.answered) / total);
  useEffect(() => announcer.say(`${tenth * 10} % of ${list.name} checked`), [tenth]);
  return (
    <section class="card progress-card" aria-labelledby="running-title">
      <div class="card-head">
        <h2 id="running-title">Checking {list.name}</h2>
        <button type="button" class="button button-small" onClick={() => lists.stop()}>
          Pause
        </button>
      </div>
      <Counts list={list} />
      <ProgressBar answered={progress.answered} total={total} />
      <p class="progress-line">
        <span>
          {grouped(progress.answered)} of {grouped(total)} · {percent(progress.answered, total)}
        </span>
        <span>{paceOf(progress, total)}</span>
      </p>
      <p class="hint">
        You can leave or reload this page. The check continues where it was, and nothing is charged twice.
      </p>
    </section>
  );
}

function ProgressBar({ answered, total }: { answered: number; total: number }) {
  return (
    <progress class="progress" aria-label="Progress" value={answered} max={total}>
      {percent(answered, total)}
    </progress>
  );
}

function paceOf({ answered, before, startedAt }: RunProgress, total: number): string {
  const seconds = (Date.now() - startedAt) / 1_000;
  const perSecond = (answered - before) / Math.max(seconds, 0.5);
  if (perSecond <= 0) return 'starting …';
  const rate = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  return `${rate} per second · ${duration((total - answered) / perSecond)} left`;
}

type PausedListProps = { list: OpenList; failure: Failure | undefined; isOld: boolean };

/** A run that was stopped, by hand or by a refusal, with what to do. */
export function PausedList({ list, failure, isOld }: PausedListProps) {
  const { lists } = useConsole();
  const total = list.survey.addresses.length;
  const answered = list.answers.filter((answer) => answer !== undefined).length;
  return (
    <section class="card" aria-labelledby="paused-title">
      <h2 id="paused-title">{list.name} is paused</h2>
      {failure === undefined ? (
        <PauseNotice isOld={isOld} />
      ) : (
        <FailureNotice failure={failure}>
          {failure.reason === 'insufficient_credits' ? <CreditsMissing needed={total - answered} /> : null}
        </FailureNotice>
      )}
      <ProgressBar answered={answered} total={total} />
      <p class="hint">
        {grouped(answered)} of {counted(total, 'address', 'addresses')} checked. The results are stored in
        this browser.
      </p>
      <div class="buttons">
        <button type="button" class="button button-main" onClick={() => lists.start()}>
          Resume
        </button>
        <button type="button" class="button" onClick={() => void lists.clear()}>
          Remove this list
        </button>
      </div>
    </section>
  );
}

function PauseNotice({ isOld }: { isOld: boolean }) {
  if (isOld)
    return (
      <Notice tone="warning" title="This check was started more than a day ago">
        <p>
          If you resume, up to {counted(tasksAtOnce * 100, 'address', 'addresses')} that were being checked
          when it stopped may be charged again. Addresses that have a result are not checked again.
        </p>
      </Notice>
    );
  return (
    <Notice tone="info" title="Paused">
      <p>Tasks that were already created finish in the service. When you resume, nothing is charged twice.</p>
    </Notice>
  );
}
