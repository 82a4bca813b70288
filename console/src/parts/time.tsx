import { localTime } from './format.ts';

/** A moment as the reader's clock has it; the exact one in UTC is in the element. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {localTime(at)}
    </time>
  );
}
