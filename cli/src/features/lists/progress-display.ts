import type { ListRecord } from '@mailproof/client';
import { counted, grouped, duration } from '../../present/text.ts';
import type { Terminal } from '../../terminal.ts';

/** Redrawing more often than this is noise to the eye; a log wants far less. */
const redrawEveryMs = 100;
const tellEveryMs = 10_000;
const barCells = 20;

type ProgressParts = { terminal: Terminal; now: () => number };

/** Shows how far a check is: a progress bar on a terminal, a line every ten seconds elsewhere. */
export function createProgressDisplay({ before }: { before: number }, { terminal, now }: ProgressParts) {
  const startedAt = now();
  let shownAt = terminal.watched ? -Infinity : startedAt;
  return {
    show(list: ShownList): void {
      const elapsedMs = now() - startedAt;
      if (now() - shownAt < (terminal.watched ? redrawEveryMs : tellEveryMs)) return;
      shownAt = now();
      const line = progressLine(list, (list.checked - before) / (elapsedMs / 1_000 || 1));
      if (terminal.watched)
        terminal.progress(`${bar(list.checked / (list.wanted || 1))} ${line}`.slice(0, terminal.columns - 1));
      else terminal.tell(line);
    },
    end: () => terminal.progress(''),
  };
}

type ShownList = Pick<ListRecord, 'state' | 'wanted' | 'checked' | 'waiting' | 'waiting_until' | 'finishing'>;

export function progressLine(list: ShownList, perSecond: number): string {
  const { wanted, checked, waiting } = list;
  const percent = wanted === 0 ? 100 : Math.floor((100 * checked) / wanted);
  const done = `${percent} %  ${grouped(checked)} of ${counted(wanted, 'address', 'addresses')}`;
  if (list.state === 'paused')
    return `${done}, paused${list.finishing > 0 ? `, finishing ${grouped(list.finishing)}` : ''}`;
  // Once all others are done, nothing is to be seen of a speed.
  if (waiting > 0 && checked + waiting >= wanted)
    return `${done}, ${grouped(waiting)} waiting${untilOf(list)} for their mail hosts`;
  const left = perSecond > 0 ? `, ${duration((wanted - checked) / perSecond)} left` : '';
  const rate = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  const others = waiting > 0 ? `, ${grouped(waiting)} waiting${untilOf(list)}` : '';
  return `${done}, ${rate} per second${left}${others}`;
}

/** By the clock of this machine. */
function untilOf({ waiting_until: until }: ShownList): string {
  if (until === null) return '';
  const time = new Date(until);
  const [hours, minutes] = [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0'));
  return ` until ${hours}:${minutes}`;
}

function bar(share: number): string {
  const full = Math.min(Math.floor(share * barCells), barCells);
  return `[${'#'.repeat(full)}${' '.repeat(barCells - full)}]`;
}
