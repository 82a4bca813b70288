import type { Answered } from '../../support/api-client.ts';
import { endOf } from '../endurance/expectations.ts';
import { countRows, wantedOf, type ListSnapshot, type ListWatch, type WatchedList } from './watched-list.ts';

/** Checks a record against the sent file, and against everything acknowledged before its request. */
export function checkRecord(
  watch: ListWatch,
  list: WatchedList,
  { answer, before }: { answer: Answered; before: ListSnapshot },
): void {
  const record = answer.body;
  const state = String(record['state']);
  const [checked, used] = [Number(record['checked']), Number(record['credits_used'])];
  const isSame = Object.entries(countRows(list)).every(([name, count]) => record[name] === count);
  const hasStarted = state !== 'surveyed';
  const rules: [boolean, string][] = [
    [isSame && record['name'] === list.name, 'has other rows than its file'],
    [!before.acknowledged.has('delete'), 'is there after its deletion'],
    [hasStarted || !before.acknowledged.has('start'), 'is not started any more'],
    [!hasStarted || list.asked.has('start'), 'was started by nobody'],
    [state === 'cancelled' || !before.acknowledged.has('cancel'), 'goes on after it was cancelled'],
    [state !== 'cancelled' || list.asked.has('cancel'), 'was cancelled by nobody'],
    [!hasStarted || record['wanted'] === wantedOf(list), 'checks other addresses than were asked for'],
    [state !== 'completed' || checked === wantedOf(list), 'is completed without all answers'],
    [checked >= before.checked, `went back from ${before.checked} answers to ${checked}`],
    [used <= checked, 'is charged more than was checked'],
  ];
  for (const [holds, broken] of rules)
    if (!holds) watch.violations.push(`${list.name} ${broken}: ${answer.text.slice(0, 600)}`);
  list.checked = Math.max(list.checked, checked);
  list.used = Math.max(list.used, used);
}

/** Checks that every line is as it was sent, in its order, followed by a true status that never changes. */
export function checkDownload(
  watch: ListWatch,
  list: WatchedList,
  { text, before }: { text: string; before: ListSnapshot },
): Map<number, string> {
  const told = new Map<number, string>();
  const wrong = (what: string): void => void watch.violations.push(`${list.name}, download: ${what}`);
  if (before.acknowledged.has('delete')) wrong('is there after its deletion');
  const lines = text.split('\n');
  if (lines.length !== list.rows.length + 2 || lines.at(-1) !== '')
    wrong(`${lines.length - 2} rows instead of ${list.rows.length}`);
  for (const [at, row] of list.rows.entries()) {
    const line = lines[at + 1] ?? '';
    if (!line.startsWith(`${row.line},`)) {
      wrong(`row ${at + 1} is ${line.slice(0, 200)}`);
      break;
    }
    const status = line.slice(row.line.length + 1).split(',')[0] ?? '';
    if (row.email === '' || status === '') continue;
    const truth = endOf(row.email);
    if (status !== truth && status !== 'unknown') wrong(`${row.email} is ${truth}, called ${status}`);
    const earlier = list.said.get(at) ?? status;
    if (earlier !== status) wrong(`row ${at + 1} said ${earlier} and says ${status}`);
    list.said.set(at, status);
    told.set(at, status);
  }
  return told;
}
