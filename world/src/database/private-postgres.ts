import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';

/**
 * A private PostgreSQL server on loopback, in a temporary directory, from the programs that Debian installs. It always
 * ends with the process that started it: a shell beside the server waits for the end of its input.
 */
export type PrivatePostgres = {
  /** Connects as superuser to the database `postgres`. */
  url: string;
  port: number;
  /** `fast` aborts transactions and shuts down in order; `immediate` is like a crash. */
  halt(how: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again after `halt`, and waits until it serves. */
  resume(): Promise<void>;
  /**
   * Stops every process of the server (SIGSTOP): connections stay open and nothing is answered, as if the server hangs.
   * The returned function lets it continue.
   */
  freeze(): () => void;
  /** Locks a table as a careless migration does. The returned function unlocks it. */
  lockTable(table: string): Promise<() => Promise<void>>;
  /** Ends it for good and removes its files. */
  stop(): Promise<void>;
};

type PrivatePostgresOptions = {
  /** Commits survive a loss of power; default false, as most tests need none. */
  durable?: boolean;
  maxConnections?: number;
  /** The folder of its files, apart from the write-ahead log, so that a test can fill it up. */
  dataFolder?: string;
  /** Settings of the server, in addition to ours or in their place. */
  settings?: Record<string, string | number>;
  /** The primary that it follows read-only until it is promoted; default none. */
  standbyOf?: { port: number };
};

export async function startPrivatePostgres(options: PrivatePostgresOptions = {}): Promise<PrivatePostgres> {
  const programs = findPostgresPrograms();
  if (programs === undefined) {
    throw new Error('PostgreSQL was not found. On Debian, as root: apt-get install postgresql');
  }
  const user = serverUser();
  const dir = mkdtempSync(join(tmpdir(), 'mailproof-postgres-'));
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const asUser = { ...user, cwd: dir };
  const data = join(options.dataFolder ?? dir, 'data');
  if (user !== undefined && options.dataFolder !== undefined)
    chownSync(options.dataFolder, user.uid, user.gid);
  const log = options.dataFolder === undefined ? [] : ['--waldir', join(dir, 'log-of-writes')];
  const [program, ...words] = makingFiles(options);
  execFileSync(join(programs, program), [...words, '--pgdata', data, '--no-sync', ...log], {
    ...asUser,
    stdio: 'pipe',
  });
  const port = await freePort();
  const settings = settingsOf(options, dir, port).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const shell = spawn('sh', ['-c', keeper, 'sh', dir, join(programs, 'postgres'), '-D', data, ...settings], {
    ...asUser,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = createInterface({ input: shell.stdout });
  const handles = [shell, shell.stdin, shell.stdout].filter((one) => 'unref' in one) as Handle[];
  // The server does not keep this process alive: it ends with us.
  for (const handle of handles) handle.unref();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;

  async function say(word: string): Promise<void> {
    for (const handle of handles) handle.ref();
    const answered = once(answers, 'line');
    shell.stdin.write(`${word}\n`);
    await answered;
    for (const handle of handles) handle.unref();
  }

  await untilItServes(programs, port);
  return {
    url,
    port,
    halt: say,
    resume: async () => {
      await say('start');
      await untilItServes(programs, port);
    },
    freeze: () => freezeFamily(readPostmaster(data)),
    lockTable: (table) => lockTable(join(programs, 'psql'), { url, table }),
    stop: async () => {
      for (const handle of handles) handle.ref();
      const gone = once(shell, 'close');
      shell.stdin.end();
      await gone;
    },
  };
}

/** Returns the program that makes the server's files, with its arguments. */
function makingFiles({ standbyOf }: PrivatePostgresOptions): [string, ...string[]] {
  if (standbyOf === undefined)
    return ['initdb', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  const from = ['--host=127.0.0.1', `--port=${standbyOf.port}`, '--username=postgres'];
  return ['pg_basebackup', ...from, '--write-recovery-conf', '--checkpoint=fast'];
}

type Handle = { ref(): void; unref(): void };

const keeper = `
dir=$1; shift
start() { "$@" 2>>"$dir/log" >&2 & server=$!; }
start "$@"
while read -r word; do
  case $word in
    fast) kill -INT $server; wait $server ;;
    immediate) kill -QUIT $server; wait $server ;;
    start) start "$@" ;;
  esac
  echo done
done
kill -CONT $server 2>/dev/null; kill -QUIT $server 2>/dev/null; wait $server
cd /; rm -rf "$dir"
`;

function settingsOf(options: PrivatePostgresOptions, dir: string, port: number): [string, string | number][] {
  const durable = options.durable === true ? 'on' : 'off';
  return [
    ['port', port],
    ['listen_addresses', '127.0.0.1'],
    ['unix_socket_directories', dir],
    ['max_connections', options.maxConnections ?? 400],
    ['shared_buffers', '64MB'],
    ['fsync', durable],
    ['full_page_writes', durable],
    ['autovacuum_naptime', '30s'],
    ...Object.entries(options.settings ?? {}),
  ];
}

/** Folders of versioned installations: Debian, the packages of PostgreSQL for RPM, Alpine. */
const versionedPlaces = [
  { folder: '/usr/lib/postgresql', programs: (entry: string) => `${entry}/bin` },
  { folder: '/usr', programs: (entry: string) => `${entry}/bin`, prefix: 'pgsql-' },
  { folder: '/usr/libexec', programs: (entry: string) => entry, prefix: 'postgresql' },
];

/** Programs that a folder must have all of. Some systems put a few of them on the PATH alone. */
const neededPrograms = ['initdb', 'postgres', 'pg_isready'];

/** Returns the folder of PostgreSQL's programs: the one on the PATH, or else the newest version in a usual place. */
export function findPostgresPrograms(): string | undefined {
  const onPath = spawnSync('sh', ['-c', 'command -v initdb'], { encoding: 'utf8' }).stdout.trim();
  const linked = existsSync(onPath) ? [dirname(onPath), dirname(realpathSync(onPath))] : [];
  const installed = versionedPlaces.flatMap(({ folder, programs, prefix = '' }) =>
    newestFirst(folder, prefix).map((entry) => join(folder, programs(entry))),
  );
  return [...linked, ...installed, '/usr/local/pgsql/bin'].find((folder) =>
    neededPrograms.every((program) => existsSync(join(folder, program))),
  );
}

function newestFirst(folder: string, prefix: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const versionOf = (entry: string) => Number(entry.slice(prefix.length));
  return entries
    .filter((entry) => entry.startsWith(prefix) && versionOf(entry) > 0)
    .sort((a, b) => versionOf(b) - versionOf(a));
}

/** PostgreSQL refuses to run as root, so it gets its own user, or else the one without rights. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string, user: string) =>
    spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout.trim();
  const user = ['postgres', 'nobody'].find((name) => idOf('-u', name) !== '');
  if (user === undefined)
    throw new Error('PostgreSQL refuses to run as root, and there is no user postgres.');
  return { uid: Number(idOf('-u', user)), gid: Number(idOf('-g', user)) };
}

/** Returns the id of the server's first process, from the first line of its file. */
function readPostmaster(data: string): number {
  return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
}

async function lockTable(
  psql: string,
  { url, table }: { url: string; table: string },
): Promise<() => Promise<void>> {
  const session = spawn(psql, ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--dbname', url], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(session, 'close');
  const locked = once(createInterface({ input: session.stdout }), 'line');
  session.stdin.write(`begin; lock table ${table} in access exclusive mode; \\echo locked\n`);
  const isLocked = await Promise.race([locked.then(() => true), ended.then(() => false)]);
  if (!isLocked) throw new Error(`the table ${table} could not be locked`);
  return async () => {
    session.stdin.end('rollback;\n');
    await ended;
  };
}

async function untilItServes(programs: string, port: number): Promise<void> {
  const where = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres', '--dbname=postgres'];
  for (let triesLeft = 600; ; triesLeft -= 1) {
    try {
      await promisify(execFile)(join(programs, 'pg_isready'), where);
      return;
    } catch (error) {
      if (triesLeft === 0) throw error;
      await sleep(50);
    }
  }
}

/** Stops a process and its children (SIGSTOP). The returned function lets them continue. */
function freezeFamily(parent: number): () => void {
  // The parent stops first, so that it starts no more children.
  process.kill(parent, 'SIGSTOP');
  const stopped = [parent];
  for (const child of childrenOf(parent)) if (signal(child, 'SIGSTOP')) stopped.push(child);
  return () => {
    for (const pid of stopped) signal(pid, 'SIGCONT');
  };
}

/** Returns the children of a process: the fourth field of /proc/PID/stat, after the name, is the parent. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(
      (pid) =>
        readStat(pid)
          .replace(/^.*\) \S /s, '')
          .split(' ')[0] === String(parent),
    )
    .map(Number);
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // The process ended in between.
    return false;
  }
}
