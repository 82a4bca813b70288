import type { ListRecord } from '@mailproof/client';
import { counted, duration, grouped, printable } from '../../present/text.ts';

type Counts = Pick<ListRecord, 'rows' | 'addresses' | 'duplicates' | 'blank' | 'rejected' | 'repaired'>;

/** Counts the rows of a file: 60 rows: 57 addresses, 1 duplicate, 1 blank, 1 not an address. */
export function countsOf(list: Counts): string {
  const { rows, addresses, duplicates, blank, rejected, repaired } = list;
  const parts = [
    counted(addresses, 'address', 'addresses'),
    counted(duplicates, 'duplicate'),
    `${grouped(blank)} blank`,
    `${grouped(rejected)} not an address`,
    ...(repaired > 0 ? [`${grouped(repaired)} repaired`] : []),
  ];
  return `${counted(rows, 'row')}: ${parts.join(', ')}`;
}

/** Statuses and how many addresses have them, the most frequent first. */
export function statusesOf({ by_status: byStatus }: ListRecord): [string, number][] {
  return Object.entries(byStatus).sort(([, a], [, b]) => b - a);
}

/** A list on one line. */
export function presentInOneLine(list: ListRecord): string {
  const { list_id: id, name, state, checked, wanted, addresses } = list;
  const progress = state === 'surveyed' ? grouped(addresses) : `${grouped(checked)} of ${grouped(wanted)}`;
  return `${id}  ${state.padEnd(9)}  ${progress.padStart(12)}  ${shown(name)}${list.sandbox ? '  (sandbox)' : ''}`;
}

/** A list with all that is known of it. */
export function presentInFull(list: ListRecord): string {
  const { state, checked, wanted, column, columns, credits_needed: needed } = list;
  const heading = columns[column]?.name;
  const statuses = statusesOf(list).map(([status, count]) => `${grouped(count)} ${status}`);
  const isOpen = state === 'running' || state === 'paused';
  const lines: [string, string | undefined][] = [
    ['id', list.list_id],
    ['holds', countsOf(list)],
    ['column', heading === undefined ? undefined : `${JSON.stringify(shown(heading))} (${column + 1})`],
    ...(state === 'surveyed' ? suggestionLines(list) : []),
    ['costs', state === 'surveyed' ? `up to ${counted(needed, 'credit')}` : undefined],
    ['takes', state === 'surveyed' ? timeOf(list) : undefined],
    ['checked', state === 'surveyed' ? undefined : `${grouped(checked)} of ${grouped(wanted)}`],
    ['waiting', waitingOf(list)],
    ['results', statuses.length === 0 ? undefined : statuses.join(', ')],
    ['credits', isOpen ? `${grouped(list.credits_reserved)} held` : undefined],
    ['credits', list.ended_at === null ? undefined : `${grouped(list.credits_used)} used`],
    ['ends', isOpen ? (list.expected_end ?? undefined) : undefined],
    ['ended', list.ended_at ?? undefined],
    ['uploaded', uploadOf(list)],
    ['erased', list.expires_at],
  ];
  return [
    `${shown(list.name)}  ${state}${list.sandbox ? '  (sandbox)' : ''}`,
    ...lines.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name.padEnd(8)} ${text}`])),
  ].join('\n');
}

/** By the limits of our egress addresses; mail hosts may take longer. */
function timeOf({ expected_seconds: seconds }: ListRecord): string | undefined {
  return seconds === null ? undefined : `${duration(seconds)} at least`;
}

function suggestionLines({ suggestions }: ListRecord): [string, string][] {
  return suggestions.map(({ domain, did_you_mean: meant, rows }) => [
    'typo?',
    `${shown(domain)} (${counted(rows, 'row')}): did you mean ${shown(meant)}?`,
  ]);
}

function uploadOf({ created_at: at, created_by: by }: ListRecord): string {
  return by === null ? at : `${at} with key ${JSON.stringify(shown(by))}`;
}

function waitingOf({ waiting, waiting_until: until }: ListRecord): string | undefined {
  if (waiting === 0) return undefined;
  const next = until === null ? '' : `; next attempt at ${until}`;
  return `${grouped(waiting)} deferred by their mail hosts${next}`;
}

/** Names and headings come from files: they get no power over the terminal, and no more than their place. */
export function shown(name: string): string {
  return printable(name).slice(0, 60);
}
