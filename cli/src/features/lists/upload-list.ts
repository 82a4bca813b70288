import { createHash, hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { contractLimits, MailproofError, type Account, type ListRecord } from '@mailproof/client';
import { ServiceProblem } from '../../api/connection.ts';
import { exitCodes, type Surroundings } from '../../command.ts';
import { openInput } from '../../input/read-lines.ts';
import type { CheckOrder } from './check-order.ts';

/** A list on the disk. It is read more than once: for its key, and for each attempt to upload it. */
type TakenInput = { path: string; /** Takes a copy away again. */ discard(): Promise<void> };

/**
 * A file is read where it is. The standard input or a pipe can be read only once, so it is copied beside the output
 * first, readable by its owner alone.
 */
export async function takeInput(
  path: string,
  output: string,
  surroundings: Surroundings,
): Promise<TakenInput> {
  if (path !== '-' && (await isRegularFile(path))) {
    if (await isSameFile(path, output))
      throw new ServiceProblem(
        exitCodes.usage,
        'The output would overwrite the list. Choose another --output.',
      );
    return { path, discard: () => Promise.resolve() };
  }
  const input = await openInput(path, surroundings);
  if (input.kind === 'cannot_open') throw new ServiceProblem(exitCodes.usage, input.why);
  const copy = `${output}.mailproof-input`;
  await rm(copy, { force: true });
  await pipeline(input.stream, addAbortSignal(surroundings.signal, createWriteStream(copy, { mode: 0o600 })));
  return { path: copy, discard: () => rm(copy, { force: true }) };
}

async function isRegularFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isSameFile(path: string, output: string): Promise<boolean> {
  const there = await realpath(output).catch(() => undefined);
  return there !== undefined && there === (await realpath(path));
}

/** The most lists of one file that may be deleted or cancelled while the service remembers their keys. */
const listsMax = 20;

/**
 * Uploads the file, or finds the list that it became before. The idempotency key is made from all that the list
 * depends on, so the same file is the same list for as long as the service remembers the key. If that list was
 * deleted or cancelled meanwhile, the next key of the same file is taken.
 */
export async function uploadList(
  path: string,
  order: CheckOrder,
  { account, signal }: { account: Account; signal: AbortSignal },
): Promise<ListRecord> {
  const { column, split } = order;
  const digest = await digestOf(path, signal);
  const { account_id: accountId, key } = account;
  const made = [digest, column ?? null, split, accountId, key?.mode ?? 'live'];
  for (let n = 1; n <= listsMax; n += 1) {
    const idempotencyKey = `check-${hash('sha256', JSON.stringify([...made, n]))}`;
    const list = await findOrCreate(path, order, { idempotencyKey, signal });
    if (list !== undefined && list.state !== 'cancelled') return list;
  }
  const times = `${listsMax} lists of this file were deleted or cancelled within a day`;
  throw new ServiceProblem(exitCodes.environment, `${times}. Try again tomorrow.`);
}

type Upload = { idempotencyKey: string; signal: AbortSignal };

/** Returns undefined if the list of this key was deleted. */
async function findOrCreate(
  path: string,
  { client, column, split, input }: CheckOrder,
  { idempotencyKey, signal }: Upload,
): Promise<ListRecord | undefined> {
  const open = () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
  try {
    const list = await client.lists.create(open, { column, split, idempotencyKey, signal });
    // Its name is given afterwards: the same file under another name is the same list.
    const name = nameOf(input);
    if (list.state !== 'surveyed' || list.name === name) return list;
    return await client.lists.change(list.list_id, { name }, { signal });
  } catch (error) {
    if (error instanceof MailproofError && error.reason === 'idempotency_mismatch') return undefined;
    throw error;
  }
}

function nameOf(input: string): string {
  const name = input === '-' ? 'standard input' : basename(input);
  return Array.from(name).slice(0, contractLimits.listNameCharacters).join('');
}

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const sha256 = createHash('sha256');
  await pipeline(createReadStream(path), sha256, { signal });
  return sha256.digest('hex');
}
