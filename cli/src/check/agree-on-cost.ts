import type { Surroundings } from '../command.ts';
import { readLines } from '../input/read-lines.ts';
import { printable } from '../present/printable.ts';
import { grouped } from './progress.ts';
import type { ListFile } from './read-list.ts';
import type { CheckOrder } from './run-check.ts';
import type { Standing } from './standing.ts';
import type { Survey } from './survey-list.ts';

type Offer = { order: CheckOrder; list: ListFile; survey: Survey; standing: Standing };

/** Says what the list holds and what it will cost at most, and asks, unless that was agreed beforehand or it is free. */
export async function agreeOnCost(offer: Offer, { terminal }: Surroundings): Promise<boolean> {
  const { order, survey, standing } = offer;
  for (const line of describe(offer)) terminal.tell(line);
  const isFree = order.isTestKey || standing.answered === survey.addresses;
  if (order.yes || isFree) return true;
  if (!terminal.inputIsTerminal) {
    terminal.tell('mailproof: there is nobody to ask whether to go on; --yes agrees beforehand');
    return false;
  }
  terminal.tell('Go on? y or n, then Enter');
  for await (const [line] of readLines(terminal.input)) {
    const agreed = line?.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(line.text);
    if (!agreed) terminal.tell('Nothing was spent.');
    return agreed;
  }
  return false;
}

function describe({ order, list, survey, standing }: Offer): string[] {
  const { rows, addresses, duplicates, blank, rejected } = survey;
  const { column, columns } = list.layout;
  const name = printable(columns[column] ?? '').slice(0, 60);
  const where =
    columns.length > 1 ? `, addresses in ${JSON.stringify(name)} (${column + 1} of ${columns.length})` : '';
  const left = addresses - standing.answered;
  const cost = order.isTestKey
    ? 'nothing (test key)'
    : `at most ${grouped(left)} credits, for conclusive answers only`;
  return [
    `${grouped(rows)} rows${where}`,
    `${grouped(addresses)} addresses, ${grouped(duplicates)} duplicates, ${grouped(blank)} blank, ${grouped(rejected)} no address`,
    ...(standing.answered > 0 ? [`going on: ${grouped(standing.answered)} have been answered before`] : []),
    `cost: ${cost}`,
  ];
}
