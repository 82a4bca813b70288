import { FailureNotice } from './failure-notice.tsx';
import type { Pages } from './use-pages.ts';

/** Below a list: that it is loading, that it is empty, what went wrong, or a button for more. */
export function PagesEnd<Item>({ pages, nothing }: { pages: Pages<Item>; nothing: string }) {
  const failure = pages.failure.value;
  if (failure !== undefined)
    return (
      <FailureNotice failure={failure}>
        <div class="buttons">
          <button type="button" class="button button-small" onClick={() => void pages.more()}>
            Try again
          </button>
        </div>
      </FailureNotice>
    );
  if (pages.isFirst.value) return <p class="hint">Loading …</p>;
  if (pages.items.value.length === 0) return <p class="hint">{nothing}</p>;
  if (!pages.hasMore.value) return null;
  return (
    <div class="buttons">
      <button type="button" class="button" onClick={() => void pages.more()}>
        Show more
      </button>
    </div>
  );
}
