import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../api/call.ts';
import { describeFailure } from '../api/describe-failure.ts';
import { Dialog, Icon, Notice } from '../parts/elements.tsx';
import type { Pages } from './loading.ts';
import { useConsole } from './use-console.ts';

type PageProps = { title: string; lead?: ComponentChildren; children: ComponentChildren };

/**
 * A page's heading and content. After a move within the console the heading takes the focus, so that screen readers
 * read it.
 */
export function Page({ title, lead, children }: PageProps) {
  const { router } = useConsole();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Mailproof`;
  }, [title]);
  useEffect(() => {
    if (router.moves.peek() > 0) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <main id="content" class="page">
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead === undefined ? null : <p class="lead">{lead}</p>}
      </header>
      {children}
    </main>
  );
}

type WhenReadProps = { of: readonly { isSettled: ReadonlySignal<boolean> }[]; children: ComponentChildren };

/** Draws a page once all its data was read, so that nothing moves when the last part arrives. */
export function WhenRead({ of, children }: WhenReadProps) {
  if (of.every(({ isSettled }) => isSettled.value)) return <>{children}</>;
  return <p class="hint">Loading …</p>;
}

/** A failed call, in plain words. */
export function FailureNotice({ failure, children }: { failure: Failure; children?: ComponentChildren }) {
  const { title, text } = describeFailure(failure);
  return (
    <Notice tone="problem" title={title}>
      <p>{text}</p>
      {children}
    </Notice>
  );
}

/** The line below a list: loading, empty, failed, or a button for more. */
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

type SecretDialogProps = { title: string; text: string; secret: string; what: string; onClose: () => void };

/** Shows a key or a secret whole, for the only time. */
export function SecretDialog({ title, text, secret, what, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <div class="buttons">
        <CopyButton text={secret} what={what} />
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

/** Copies with one click. If the browser forbids it, the button says so, and the text can be selected by hand. */
function CopyButton({ text, what }: { text: string; what: string }) {
  const { announcer } = useConsole();
  const label = useSignal(`Copy ${what}`);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      label.value = 'Copied';
    } catch {
      label.value = `Select ${what} and copy it`;
    }
    announcer.say(label.value);
  };
  return (
    <button type="button" class="button button-main" onClick={() => void copy()}>
      <Icon name="copy" />
      {label}
    </button>
  );
}
