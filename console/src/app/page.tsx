import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from './use-console.ts';

type PageProps = { title: string; lead?: ComponentChildren; children: ComponentChildren };

/** A page's heading and content. After a move within the console the heading takes the focus, so that it is read. */
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
