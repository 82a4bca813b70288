/**
 * Debian packages that some tests need: a browser, a database. A package that is installed costs one look at a file. A
 * missing one is installed if this machine lets us, and named in an error if not.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

export type DebianPackage = {
  name: string;
  /** A file that exists when the package is installed. */
  proof: string;
};

export type DebianPackageParts = {
  exists(path: string): boolean;
  /** Whether we are root on Debian, and `--no-install` was not given. */
  mayInstall(): boolean;
  /** Runs a program with its output on our stderr, and returns its exit status. */
  run(program: string, args: string[]): Promise<number>;
  tell(line: string): void;
};

/** Set by `--no-install`, for test files that install packages of their own. */
export const noInstallVariable = 'MAILPROOF_TEST_NO_INSTALL';

export const debianParts = (): DebianPackageParts => ({
  exists: existsSync,
  mayInstall: () =>
    process.getuid?.() === 0 &&
    existsSync('/usr/bin/apt-get') &&
    (process.env[noInstallVariable] ?? '') === '',
  run,
  tell: (line) => void process.stderr.write(`${line}\n`),
});

/** Installs the packages that are missing. Throws an error that says what to do if one cannot be installed. */
export async function ensureDebianPackages(
  packages: DebianPackage[],
  parts: DebianPackageParts = debianParts(),
): Promise<void> {
  const missing = packages.filter(({ proof }) => !parts.exists(proof));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(' ');
  if (!parts.mayInstall()) {
    throw new Error(`Missing Debian packages: ${names}. Install them as root: apt-get install ${names}`);
  }
  parts.tell(`mailproof: Installing Debian packages (only once; --no-install forbids it): ${names} …`);
  const status = await parts.run('flock', [lockFile, 'sh', '-c', installMissing, 'sh', ...asPairs(missing)]);
  const absent = missing.filter(({ proof }) => !parts.exists(proof));
  if (status === 0 && absent.length === 0) return;
  const lacking = absent.map(({ name, proof }) => `${name} (${proof})`).join(', ');
  throw new Error(
    `apt-get did not install ${lacking || names} (exit status ${status}). Its output is above.`,
  );
}

/** Test files run side by side, and apt runs one at a time, so each waits for this lock. */
const lockFile = '/tmp/mailproof-apt.lock';

/**
 * Takes names and proofs alternately. A process that waited may find nothing left to do. apt asks no questions, and
 * its output goes to stderr: stdout belongs to the caller.
 */
const installMissing = `
set -e
exec >&2
names=
while [ "$#" -gt 0 ]; do
  [ -e "$2" ] || names="$names $1"
  shift 2
done
[ -n "$names" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 $names
`;

function asPairs(packages: DebianPackage[]): string[] {
  return packages.flatMap(({ name, proof }) => [name, proof]);
}

async function run(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ['ignore', 2, 2] });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status ?? 1;
}
