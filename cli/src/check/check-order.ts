import type { Client } from '@mailproof/client';
import type { Surroundings } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { ListProblem } from '../lists/list-problem.ts';
import { openClient } from '../lists/open-client.ts';

/** What `mailproof check` was asked to do. */
export type CheckOrder = {
  /** `-` is the standard input. */
  input: string;
  output: string;
  /** By its place from 0, or by its heading. */
  column: number | string | undefined;
  split: boolean;
  client: Client;
  yes: boolean;
  force: boolean;
  json: boolean;
};

type Given = {
  output: string | undefined;
  column: string | undefined;
  url: string | undefined;
  'key-file': string | undefined;
  split: boolean;
  yes: boolean;
  json: boolean;
  force: boolean;
};

export async function readOrder(
  given: Given,
  input: string,
  surroundings: Surroundings,
): Promise<CheckOrder> {
  const { output, split, yes, json, force } = given;
  if (output === undefined || output === '-') throw new ListProblem(exitCodes.usage, 'Missing --output FILE');
  if (input === '-' && !yes)
    throw new ListProblem(
      exitCodes.usage,
      'The list comes from standard input, so the cost cannot be confirmed there. Add --yes.',
    );
  const column = readColumn(given.column);
  const client = await openClient(given, surroundings);
  return { input, output, column, split, client, yes, json, force };
}

/** People count from 1, the service from 0. */
function readColumn(text: string | undefined): number | string | undefined {
  if (text === undefined || !/^\d{1,6}$/.test(text)) return text;
  if (Number(text) === 0) throw new ListProblem(exitCodes.usage, '--column counts from 1');
  return Number(text) - 1;
}
