import { setTimeout as sleep } from 'node:timers/promises';
import { askKeyed, askTask, type Asking } from './requests.ts';
import type { Random } from '../../support/random.ts';
import type { KeyedRequest, WatchedAccount, Expectations } from './expectations.ts';
import type { Fixture } from '../../support/open-fixture.ts';

/**
 * The checks after a restart, before any new request. Acknowledged work is there and unchanged. Lost requests can
 * be repeated once. Every task completes, and the books balance exactly.
 */
type RecoverParts = Asking & { fixture: Fixture; random: Random; survivors: boolean; patienceMs: number };

type RecoverOptions = {
  /** Whether to check everything ever acknowledged, or only a part. */
  everything: boolean;
  /**
   * Whether other processes survived. Then the dead one's work is in progress until they declare it dead, and its
   * tasks go on within a minute (L2). Without survivors, the start recovers everything.
   */
  survivors?: boolean;
};

/** Less than the life of a single request's hold (40 s): a credit that returns sooner returned at the start. */
const patienceMs = { alone: 30_000, survivors: 75_000 };
const sampled = 8;

export async function recover(
  given: Asking & { fixture: Fixture; random: Random },
  { everything, survivors = false }: RecoverOptions,
): Promise<void> {
  const patience = patienceMs[survivors ? 'survivors' : 'alone'] + (await measureSlack(given));
  const parts = { ...given, survivors, patienceMs: patience };
  const { expected } = parts;
  const unresolved = expected.keyed.filter((request) => !request.resolved);
  await sideBySide(unresolved, (request) => resolve(parts, request));
  const kept = expected.keyed.filter((request) => request.kept !== undefined);
  await sideBySide(everything ? kept : sample(parts, kept), (request) => askUntilTold(parts, request));
  await completeTasks(parts);
  await sideBySide(everything ? expected.tasks : sample(parts, expected.tasks), (task) =>
    askTask(parts, task),
  );
  await balanceBooks(parts, expected.careful);
  await balanceBooks(parts, expected.careless);
}

/** Returns extra patience for a busy machine; next to nothing on an idle one. */
async function measureSlack({ client }: Asking): Promise<number> {
  const startedAt = performance.now();
  for (let asked = 0; asked < 5; asked += 1) await client.send({ method: 'GET', path: '/healthz' });
  return 100 * (performance.now() - startedAt);
}

/** Runs a few at a time, so that thousands are soon done and none is refused. */
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

function sample<Item>({ random }: RecoverParts, items: readonly Item[]): Item[] {
  const [first] = items;
  if (first === undefined) return [];
  return Array.from({ length: sampled }, () => random.oneOf([first, ...items.slice(1)]));
}

/** Repeats a request with its key. There is no other sender, so nothing may be in progress. */
async function resolve(parts: RecoverParts, request: KeyedRequest): Promise<void> {
  const status = await askUntilTold(parts, request);
  request.resolved = true;
  if (status === 409)
    parts.expected.violations.push(`${request.idempotencyKey} is in progress after a restart`);
}

/**
 * Repeats until there is an answer. A refusal for overload is none (the machine may be busy); with survivors,
 * neither is 409.
 */
async function askUntilTold(parts: RecoverParts, request: KeyedRequest): Promise<number> {
  const until = performance.now() + parts.patienceMs;
  const isTold = (heard: number) => heard !== 503 && !(parts.survivors && heard === 409);
  let status = await askKeyed(parts, request);
  while (!isTold(status) && performance.now() < until) {
    await sleep(100);
    status = await askKeyed(parts, request);
  }
  if (status === 0 || status === 503)
    parts.expected.violations.push(`${request.kind} ${request.idempotencyKey}: ${status} after a restart`);
  return status;
}

async function completeTasks(parts: RecoverParts): Promise<void> {
  const { patienceMs } = parts;
  const until = performance.now() + patienceMs;
  const open = () => parts.expected.tasks.filter((task) => task.final === undefined);
  while (open().length > 0 && performance.now() < until) {
    await sideBySide(open(), (task) => askTask(parts, task));
    if (open().length > 0) await sleep(100);
  }
  for (const task of open()) {
    parts.expected.violations.push(
      `task ${task.taskId} did not complete within ${patienceMs} ms of a restart`,
    );
    task.final = 'given up';
  }
}

/** Audits one moment; it may run beside any load. */
export async function auditBooks({
  expected,
  fixture,
}: Pick<RecoverParts, 'expected' | 'fixture'>): Promise<void> {
  const acknowledged = expected.tasks.length;
  try {
    const { accounts, tasks, violations } = await fixture.command('audit');
    if (accounts !== 2 || Number(tasks) < acknowledged || JSON.stringify(violations) !== '[]')
      expected.violations.push(`audit: ${JSON.stringify({ accounts, tasks, acknowledged, violations })}`);
  } catch (error) {
    expected.violations.push(`audit: ${String(error)}`);
  }
}

/** Waits until nothing is reserved: tasks whose creation was lost run as well. Then every "perhaps" is resolved. */
async function balanceBooks(
  { expected, fixture, patienceMs }: RecoverParts,
  account: WatchedAccount,
): Promise<void> {
  const until = performance.now() + patienceMs;
  while ((await fixture.balance(account.accountId)).reserved > 0 && performance.now() < until)
    await sleep(50);
  const books = await fixture.balance(account.accountId);
  const { granted, available, reserved, spent } = books;
  const holds =
    reserved === 0 &&
    available + reserved + spent === granted &&
    isBetween(granted, account.granted, account.perhapsGranted) &&
    isBetween(spent, account.spent, account.perhapsSpent);
  if (!holds) expected.violations.push(wrongBooks(account, JSON.stringify(books)));
  Object.assign(account, { granted, spent, perhapsGranted: 0, perhapsSpent: 0 });
}

function isBetween(figure: number, sure: number, perhaps: number): boolean {
  return figure >= sure && figure <= sure + perhaps;
}

function wrongBooks(account: WatchedAccount, books: string): string {
  const { accountId, granted, perhapsGranted, spent, perhapsSpent } = account;
  return `books of ${accountId}: ${books}, known: ${JSON.stringify({ granted, perhapsGranted, spent, perhapsSpent })}`;
}

/** Asserts that the command line shows the books of the database. */
export async function showBooks({
  fixture,
  expected,
}: {
  fixture: Fixture;
  expected: Expectations;
}): Promise<void> {
  for (const { accountId } of [expected.careful, expected.careless]) {
    const shown = JSON.stringify(await fixture.command('credits', 'show', accountId));
    const read = JSON.stringify({ account_id: accountId, ...(await fixture.balance(accountId)) });
    if (shown !== read) expected.violations.push(`credits show: ${shown}, in the file ${read}`);
  }
}
