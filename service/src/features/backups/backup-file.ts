import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';

/**
 * The file of a backup: one line that says what it is, one line of JSON (the manifest), and then the database, packed
 * with zstd. So it can be unpacked without us: `tail -n +3 FILE | zstd -d > mailproof.db`. It holds addresses, and is
 * readable for its owner alone.
 */
export type BackupManifest = {
  database: 'sqlite' | 'postgres';
  /** Version of the schema. */
  schema: number;
  /** Everything that was acknowledged before is in it. */
  takenAt: string;
  /** Of the database, unpacked. */
  bytes: number;
  sha256: string;
};

const firstLine = 'mailproof-backup 1\n';
const longestHead = 4_096;

/** Packs the database in the file `content`. The backup appears under its name once it is whole and on disk. */
export async function writeBackupFile(
  file: string,
  content: string,
  known: Omit<BackupManifest, 'bytes' | 'sha256'>,
): Promise<BackupManifest> {
  const draft = `${file}.partial`;
  const manifest: BackupManifest = { ...known, ...(await measure(content)) };
  try {
    await writeFile(draft, `${firstLine}${JSON.stringify(manifest)}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await pipeline(
      createReadStream(content),
      createZstdCompress(),
      createWriteStream(draft, { flags: 'a', flush: true }),
    );
    await rename(draft, file);
    return manifest;
  } finally {
    await rm(draft, { force: true });
  }
}

async function measure(content: string): Promise<Pick<BackupManifest, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(content)) hash.update(chunk as Buffer);
  return { bytes: (await stat(content)).size, sha256: hash.digest('hex') };
}

type ReadManifest = { kind: 'read'; manifest: BackupManifest; from: number } | { kind: 'no_backup' };

async function readManifest(file: string): Promise<ReadManifest> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestHead), 0, longestHead, 0);
    const head = buffer.subarray(0, bytesRead);
    const end = head.indexOf('\n', firstLine.length);
    if (!head.toString('latin1').startsWith(firstLine) || end === -1) return { kind: 'no_backup' };
    const manifest = parseManifest(head.toString('utf8', firstLine.length, end));
    return manifest === undefined ? { kind: 'no_backup' } : { kind: 'read', manifest, from: end + 1 };
  } finally {
    await handle.close();
  }
}

function parseManifest(text: string): BackupManifest | undefined {
  try {
    const value = JSON.parse(text) as Partial<BackupManifest> | null;
    const { database, schema, takenAt, bytes, sha256 } = value ?? {};
    if (database !== 'sqlite' && database !== 'postgres') return undefined;
    if (typeof schema !== 'number' || typeof takenAt !== 'string') return undefined;
    if (typeof bytes !== 'number' || typeof sha256 !== 'string') return undefined;
    return { database, schema, takenAt, bytes, sha256 };
  } catch {
    return undefined;
  }
}

export type UnpackAnswer =
  | { kind: 'unpacked'; manifest: BackupManifest }
  /** There is no such file, or it is none of ours. */
  | { kind: 'no_backup' }
  /** What is in it is not what was put in. */
  | { kind: 'damaged' };

/** Unpacks the database into the file `target`, which must not be there, and holds it to the manifest. */
export async function unpackBackup(file: string, target: string): Promise<UnpackAnswer> {
  const read = await readManifest(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error) return { kind: 'no_backup' } as const;
    throw error;
  });
  if (read.kind === 'no_backup') return read;
  const { manifest, from } = read;
  const hash = createHash('sha256');
  let bytes = 0;
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      // A file that unpacks to more than it says is none of ours, and may not fill the disk.
      done(bytes > manifest.bytes ? new DamagedError() : null, chunk);
    },
  });
  const unpacker = createZstdDecompress();
  try {
    await pipeline(
      createReadStream(file, { start: from }),
      unpacker,
      watch,
      createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
    );
  } catch (error) {
    if (error instanceof DamagedError || isBadPacking(error)) return { kind: 'damaged' };
    throw error;
  }
  // The unpacker may pass over bytes that follow the end.
  const isRead = unpacker.bytesWritten === (await stat(file)).size - from;
  const isWhole = isRead && bytes === manifest.bytes && hash.digest('hex') === manifest.sha256;
  return isWhole ? { kind: 'unpacked', manifest } : { kind: 'damaged' };
}

class DamagedError extends Error {}

function isBadPacking(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return /^(?:ZSTD_|Z_|ERR_ZSTD|ERR_ZLIB)/.test(String(error.code));
}
