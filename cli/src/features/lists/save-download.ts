import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MailproofError, type Client, type ListDownloadOptions } from '@mailproof/client';
import { exitCodes } from '../../command.ts';
import { isDiskError, ServiceProblem } from '../../api/connection.ts';

type Order = {
  listId: string;
  output: string;
  /** All unless told. */
  rows?: string | undefined;
  roles?: boolean | undefined;
  signal: AbortSignal;
};

/** Attempts of a download whose connection breaks. The client itself waits while the service is away. */
const attempts = 5;

/**
 * Writes the checked list to a file. It is written beside its place, and moved there once it is complete and on the
 * disk.
 */
export async function saveDownload(order: Order, client: Client): Promise<void> {
  const unfinished = `${order.output}.mailproof-unfinished`;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const broken = await tryDownload(unfinished, order, client);
      if (broken === undefined) break;
      if (attempt === attempts) throw new MailproofError('network_error', { cause: broken });
    }
    await rename(unfinished, order.output);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(dirname(order.output));
}

/** Returns the error if the connection broke. */
async function tryDownload(unfinished: string, order: Order, client: Client): Promise<unknown> {
  const { listId, output, rows, roles, signal } = order;
  try {
    const { stream } = await client.lists.download(listId, { rows, roles, format: formatOf(output), signal });
    await pipeline(Readable.fromWeb(stream), createWriteStream(unfinished, { flush: true }), { signal });
    return undefined;
  } catch (error) {
    if (signal.aborted || error instanceof MailproofError || isDiskError(error)) throw error;
    return error;
  }
}

/** The ending of the file says what it shall be. */
function formatOf(output: string): NonNullable<ListDownloadOptions['format']> {
  if (/\.xlsx$/i.test(output)) return 'xlsx';
  return /\.(?:jsonl|ndjson)$/i.test(output) ? 'jsonl' : 'csv';
}

export async function refuseToOverwrite(output: string, force: boolean): Promise<void> {
  const isThere = await access(output).then(
    () => true,
    () => false,
  );
  if (isThere && !force)
    throw new ServiceProblem(exitCodes.usage, `${output} already exists. To overwrite it, add --force.`);
}

/** A name in a folder is on the disk once the folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
