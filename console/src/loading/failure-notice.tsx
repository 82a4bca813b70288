import type { ComponentChildren } from 'preact';
import { describeFailure } from '../api/describe-failure.ts';
import type { Failure } from '../api/failure.ts';
import { Notice } from '../parts/notice.tsx';

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
