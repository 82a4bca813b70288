/** The internet sockets of a process, as Linux tells of them in /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type OpenSocket = { protocol: string; local: string; remote: string };

const tables = ['tcp', 'tcp6', 'udp', 'udp6'];

export function openSockets(pid: number): OpenSocket[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => socketInode(`/proc/${pid}/fd/${fd}`)),
  );
  return tables.flatMap((protocol) =>
    readFileSync(`/proc/${pid}/net/${protocol}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => inodes.has(fields[9] ?? ''))
      .map(([, local = '', remote = '']) => ({ protocol, local: hostOf(local), remote: hostOf(remote) })),
  );
}

/** A descriptor may be closed between the listing and the look. */
function socketInode(path: string): string[] {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
    return inode === undefined ? [] : [inode];
  } catch {
    return [];
  }
}

/** The kernel writes an address as 32-bit words in the machine's order: `0100007F:1F90` is 127.0.0.1. */
function hostOf(endpoint: string): string {
  const words = endpoint.split(':')[0]?.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  if (bytes.length === 4) return bytes.join('.');
  return Buffer.from(bytes).toString('hex');
}
