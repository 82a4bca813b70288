import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { SourcePackage } from './packages.ts';

/** The files of a package by path, unpacked in memory: nothing of it touches the disk or is run. */
export type PackageFiles = ReadonlyMap<string, Buffer>;

type Pinned = Pick<SourcePackage, 'name' | 'version' | 'integrity'>;

export type FetchParts = {
  /** The environment of `npm`, which decides the registry. */
  env: Record<string, string | undefined>;
  signal: AbortSignal;
};

/** Fetches an archive from the registry and refuses one whose digest is not the pinned one. */
export async function fetchPackage(pinned: Pinned, parts: FetchParts): Promise<PackageFiles> {
  const [archive] = await downloadArchives([`${pinned.name}@${pinned.version}`], parts);
  if (archive === undefined) throw new Error(`${pinned.name}@${pinned.version}: npm pack left no archive`);
  return unpackVerified(archive, pinned);
}

type LatestPackage = { version: string; integrity: string; files: PackageFiles };

/** Fetches the newest version of each package, by name. npm checks their digests. */
export async function fetchLatest(
  names: readonly string[],
  parts: FetchParts,
): Promise<Map<string, LatestPackage>> {
  const archives = await downloadArchives(
    names.map((name) => `${name}@latest`),
    parts,
  );
  const found = archives.map((archive): [string, LatestPackage] => {
    const files = unpack(archive);
    const manifest = files.get('package/package.json')?.toString('utf8') ?? '{}';
    const { name = '', version = 'unknown' } = JSON.parse(manifest) as { name?: string; version?: string };
    return [name, { version, integrity: integrityOf(archive), files }];
  });
  return new Map(found);
}

/** One npm for all of them: starting it takes longer than fetching does. */
async function downloadArchives(wanted: readonly string[], { env, signal }: FetchParts): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lists-'));
  try {
    const packed = ['pack', ...wanted, '--ignore-scripts', '--pack-destination', folder];
    await promisify(execFile)('npm', packed, { timeout: 300_000, env, signal });
    const archives = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    return await Promise.all(archives.map((file) => readFile(join(folder, file))));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function unpackVerified(archive: Buffer, { name, version, integrity }: Pinned): PackageFiles {
  const digest = integrityOf(archive);
  if (digest !== integrity) {
    throw new Error(`${name}@${version}: archive is ${digest}, pinned is ${integrity}`);
  }
  return unpack(archive);
}

function integrityOf(archive: Buffer): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
}

function unpack(archive: Buffer): PackageFiles {
  return readTar(gunzipSync(archive, { maxOutputLength: MOST_BYTES }));
}

const MOST_BYTES = 64 * 1024 * 1024;
const BLOCK = 512;

/** POSIX ustar: a header block with name, size and type, then the file in whole blocks. Only plain files are read. */
function readTar(tar: Buffer): PackageFiles {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, 124, 12), 8);
    if (!Number.isInteger(size) || size < 0) throw new Error('tar: a file without a size');
    const prefix = field(header, 345, 155);
    const name = field(header, 0, 100);
    const type = field(header, 156, 1);
    const start = at + BLOCK;
    if (type === '0' || type === '')
      files.set(prefix === '' ? name : `${prefix}/${name}`, tar.subarray(start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** A header field ends at its first NUL or fills its width. */
function field(header: Buffer, start: number, width: number): string {
  const text = header.toString('latin1', start, start + width);
  const end = text.indexOf('\0');
  return (end < 0 ? text : text.slice(0, end)).trim();
}
