import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { SourcePackage } from './packages.ts';

/** The files of a package by path, unpacked in memory: nothing of it touches the disk or is run. */
type PackageFiles = ReadonlyMap<string, Buffer>;

type Pinned = Pick<SourcePackage, 'name' | 'version' | 'integrity'>;

/** Fetches an archive from the registry and refuses one whose digest is not the pinned one. */
export async function fetchPackage(pinned: Pinned): Promise<PackageFiles> {
  return unpackVerified(await downloadArchive(pinned), pinned);
}

async function downloadArchive({ name, version }: Pinned): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'lists-'));
  try {
    const packed = ['pack', `${name}@${version}`, '--ignore-scripts', '--pack-destination', folder];
    await promisify(execFile)('npm', packed, { timeout: 120_000 });
    const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
    if (archive === undefined) throw new Error(`${name}@${version}: npm pack left no archive`);
    return await readFile(join(folder, archive));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function unpackVerified(archive: Buffer, { name, version, integrity }: Pinned): PackageFiles {
  const digest = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  if (digest !== integrity) {
    throw new Error(`${name}@${version}: archive is ${digest}, pinned is ${integrity}`);
  }
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
