import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

type WhenReadProps = { of: readonly { isSettled: ReadonlySignal<boolean> }[]; children: ComponentChildren };

/** Draws a page once all it is made of was read, so that nothing moves when the last part comes in. */
export function WhenRead({ of, children }: WhenReadProps) {
  if (of.every(({ isSettled }) => isSettled.value)) return <>{children}</>;
  return <p class="hint">Loading …</p>;
}
