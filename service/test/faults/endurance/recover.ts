import { setTimeout as sleep } from 'node:timers/promises';
import { askKeyed, askTask, type Asking } from './ask.ts';
import type { Dice } from './dice.ts';
import type { Home } from './launch.ts';
import { readBooks } from './read-books.ts';
import { runCommand } from './run-command.ts';
import type { KeyedRequest, WatchedAccount, Witness } from './witness.ts';

/**
 * What is held against the service after a restart, before anything new is asked of it: what was acknowledged is there and
 * the same, what was lost can be asked for again once, every task completes, and the books balance to the credit.
 */
type RecoverParts = Asking & { home: Home; dice: Dice; survivors: boolean; patienceMs: number };

type RecoverOptions = {
  /** Ask for all that was ever acknowledged, not for some of it. */
  everything: boolean;
  /**
   * Whether processes lived on beside the one that died. Then what it was doing is in progress until they have found
   * it dead, and its tasks go on within a minute (L2); alone, all of it is put right at the start.
   */
  survivors?: boolean;
};

/** Less than the hold of a single request lives (40 s): what comes back sooner came back at the start. */
const patienceMs = { alone: 30_000, survivors: 75_000 };
const sampled = 8;

export async function recover(
  given: Asking & { home: Home; dice: Dice },
  { everything, survivors = false }: RecoverOptions,
): Promise<void> {
  const patience = patienceMs[survivors ? 'survivors' : 'alone'] + (await measureSlack(given));
  const parts = { ...given, survivors, patienceMs: patience };
  const { witness } = parts;
  const unresolved = witness.keyed.filter((request) => !request.resolved);
  await sideBySide(unresolved, (request) => resolve(parts, request));
  const kept = witness.keyed.filter((request) => request.kept !== undefined);
  await sideBySide(everything ? kept : sample(parts, kept), (request) => askUntilTold(parts, request));
  await completeTasks(parts);
  await sideBySide(everything ? witness.tasks : sample(parts, witness.tasks), (task) => askTask(parts, task));
  await balanceBooks(parts, witness.careful);
  await balanceBooks(parts, witness.careless);
}

/** More patience on a machine that is busy with much else: next to nothing where it is not. */
async function measureSlack({ caller }: Asking): Promise<number> {
  const startedAt = performance.now();
  for (let asked = 0; asked < 5; asked += 1) await caller.send({ method: 'GET', path: '/healthz' });
  return 100 * (performance.now() - startedAt);
}

/** A few at a time, so that thousands are soon done and none is turned away. */
async function sideBySide<Item>(
  items: readonly Item[],
  ask: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const beClient = async () => {
    for (const item of rest) await ask(item);
  };
  await Promise.all(Array.from({ length: sampled }, beClient));
}

function sample<Item>({ dice }: RecoverParts, items: readonly Item[]): Item[] {
  const [first] = items;
  if (first === undefined) return [];
  return Array.from({ length: sampled }, () => dice.oneOf([first, ...items.slice(1)]));
}

/** Asks again with the same key. Nobody else does, so nothing may be in progress. */
async function resolve(parts: RecoverParts, request: KeyedRequest): Promise<void> {
  const status = await askUntilTold(parts, request);
  request.resolved = true;
  if (status === 409)
    parts.witness.violations.push(`${request.idempotencyKey} is in progress after a restart`);
}

/** To be turned away for overload (the machine may be busy with much else) is no answer; nor, among survivors, is 409. */
async function askUntilTold(parts: RecoverParts, request: KeyedRequest): Promise<number> {
  const until = performance.now() + parts.patienceMs;
  const isTold = (heard: number) => heard !== 503 && !(parts.survivors && heard === 409);
  let status = await askKeyed(parts, request);
  while (!isTold(status) && performance.now() < until) {
    await sleep(100);
    status = await askKeyed(parts, request);
  }
  if (status === 0 || status === 503)
    parts.witness.violations.push(`${request.kind} ${request.idempotencyKey}: ${status} after a restart`);
  return status;
}

async function completeTasks(parts: RecoverParts): Promise<void> {
  const { patienceMs } = parts;
  const until = performance.now() + patienceMs;
  const open = () => parts.witness.tasks.filter((task) => task.final === undefined);
  while (open().length > 0 && performance.now() < until) {
    await sideBySide(open(), (task) => askTask(parts, task));
    if (open().length > 0) await sleep(100);
  }
  for (const task of open()) {
    parts.witness.violations.push(
      `task ${task.taskId} did not complete within ${patienceMs} ms of a restart`,
    );
    task.final = 'given up';
  }
}

/** May run beside anything: it looks at one moment. */
export async function auditBooks({ witness, home }: Pick<RecoverParts, 'witness' | 'home'>): Promise<void> {
  const acknowledged = witness.tasks.length;
  try {
    const { accounts, tasks, violations } = await runCommand(['audit'], home);
    if (accounts !== 2 || Number(tasks) < acknowledged || JSON.stringify(violations) !== '[]')
      witness.violations.push(`audit: ${JSON.stringify({ accounts, tasks, acknowledged, violations })}`);
  } catch (error) {
    witness.violations.push(`audit: ${String(error)}`);
  }
}

/** Waits until nothing is reserved: tasks whose creation was lost run as well. Then there is no perhaps left. */
async function balanceBooks(
  { witness, home, patienceMs }: RecoverParts,
  account: WatchedAccount,
): Promise<void> {
  const until = performance.now() + patienceMs;
  while ((await readBooks(home, account.accountId)).reserved > 0 && performance.now() < until)
    await sleep(50);
  const books = await readBooks(home, account.accountId);
  const { granted, available, reserved, spent } = books;
  const holds =
    reserved === 0 &&
    available + reserved + spent === granted &&
    isBetween(granted, account.granted, account.perhapsGranted) &&
    isBetween(spent, account.spent, account.perhapsSpent);
  if (!holds) witness.violations.push(wrongBooks(account, JSON.stringify(books)));
  Object.assign(account, { granted, spent, perhapsGranted: 0, perhapsSpent: 0 });
}

function isBetween(figure: number, sure: number, perhaps: number): boolean {
  return figure >= sure && figure <= sure + perhaps;
}

function wrongBooks(account: WatchedAccount, books: string): string {
  const { accountId, granted, perhapsGranted, spent, perhapsSpent } = account;
  return `books of ${accountId}: ${books}, known: ${JSON.stringify({ granted, perhapsGranted, spent, perhapsSpent })}`;
}

/** The command line says of the books what the file holds. */
export async function showBooks({ home, witness }: { home: Home; witness: Witness }): Promise<void> {
  for (const { accountId } of [witness.careful, witness.careless]) {
    const shown = JSON.stringify(await runCommand(['credits', 'show', accountId], home));
    const read = JSON.stringify({ account_id: accountId, ...(await readBooks(home, accountId)) });
    if (shown !== read) witness.violations.push(`credits show: ${shown}, in the file ${read}`);
  }
}
