import { localTime } from './format.ts';

/** A moment as the reader's clock has it; the exact one in UTC is in the element. */
export function Time({ at }: { at: string }) {
  const [day, hour = ''] = localTime(at).split(' ');
  return (
    <time dateTime={at} title={at}>
      {/* Where room is short it breaks before the hour, and not at the hyphens. */}
      <span class="day">{day}</span> {hour}
    </time>
  );
}
