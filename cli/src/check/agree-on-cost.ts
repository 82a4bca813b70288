import type { Surroundings } from '../command.ts';
import { readLines } from '../input/read-lines.ts';
import { printable } from '../present/printable.ts';
import { counted, grouped } from '../present/count.ts';
import type { ListFile } from './read-list.ts';
import type { CheckOrder } from './check-order.ts';
import type { CheckProgress } from './check-progress.ts';
import type { Survey } from './survey-list.ts';

type Offer = { order: CheckOrder; list: ListFile; survey: Survey; progress: CheckProgress };

/** Shows what the list contains and what it costs at most, and asks to confirm, unless --yes was given or it is free. */
export async function agreeOnCost(offer: Offer, { terminal }: Surroundings): Promise<boolean> {
  const { order, survey, progress } = offer;
  for (const line of describe(offer)) terminal.tell(line);
  const isFree = order.isTestKey || progress.answered === survey.addresses;
  if (order.yes || isFree) return true;
  if (!terminal.inputIsTerminal) {
    terminal.tell('mailproof: Nobody is here to confirm the cost. To agree in advance, add --yes.');
    return false;
  }
  terminal.tell('Continue? Type y or n, then press Enter.');
  for await (const [line] of readLines(terminal.input)) {
    const agreed = line?.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(line.text);
    if (!agreed) terminal.tell('Nothing was spent.');
    return agreed;
  }
  return false;
}

function describe({ order, list, survey, progress }: Offer): string[] {
  const { rows, addresses, duplicates, blank, rejected } = survey;
  const { column, columns } = list.layout;
  const name = printable(columns[column] ?? '').slice(0, 60);
  const where =
    columns.length > 1
      ? `, addresses in column ${JSON.stringify(name)} (${column + 1} of ${columns.length})`
      : '';
  const left = addresses - progress.answered;
  const cost = order.isTestKey
    ? 'free (test key)'
    : `up to ${counted(left, 'credit')}, for conclusive results only`;
  return [
    `${counted(rows, 'row')}${where}`,
    `${counted(addresses, 'address', 'addresses')}, ${counted(duplicates, 'duplicate')}, ${grouped(blank)} blank, ${grouped(rejected)} not an address`,
    ...(progress.answered > 0
      ? [`Resuming: ${counted(progress.answered, 'address', 'addresses')} already checked`]
      : []),
    `Cost: ${cost}`,
  ];
}
