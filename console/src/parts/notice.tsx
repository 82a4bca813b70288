import type { ComponentChildren } from 'preact';
import { describeFailure } from '../api/describe-failure.ts';
import type { Failure } from '../api/failure.ts';
import { Icon } from './icon.tsx';

type NoticeProps = { tone: 'info' | 'warning' | 'problem'; title: string; children?: ComponentChildren };

/** Something to know. Problems interrupt a screen reader, the rest waits for its turn. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'problem' ? 'alert' : 'status'}>
      <Icon name={tone === 'info' ? 'info' : 'warning'} />
      <div>
        <p class="notice-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

/** A call that came to nothing, in plain words. */
export function FailureNotice({ failure, children }: { failure: Failure; children?: ComponentChildren }) {
  const { title, text } = describeFailure(failure);
  return (
    <Notice tone="problem" title={title}>
      <p>{text}</p>
      {children}
    </Notice>
  );
}
