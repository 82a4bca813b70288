import { setTimeout as sleep } from 'node:timers/promises';
import { askCarelessly, askKeyed, askTask, createCarelessly, type Asking } from './ask.ts';
import type { Dice } from './dice.ts';
import { launch, type Home } from './launch.ts';
import { greylistedPeople } from './town.ts';
import type { KeyedRequest, WatchedAccount } from './witness.ts';

/** Mixed load: several clients side by side, each doing one thing after the other until it is told to end. */
type Load = {
  /** Nothing new is begun; resolves when everybody has an answer or has lost it. */
  end(): Promise<void>;
};

export type LoadParts = Asking & {
  home: Home;
  dice: Dice;
  newNumber: () => number;
  /** Whether credits are granted on the command line meanwhile. */
  grants: boolean;
};

const clients = 8;
const grantedAtOnce = 150;

export function startLoad(parts: LoadParts): Load {
  const over = new AbortController();
  const running = Array.from({ length: clients }, () => beClient(parts, over.signal));
  const granting = parts.grants && parts.dice.chance(0.6) ? grant(parts) : Promise.resolve();
  return {
    end: async () => {
      over.abort();
      await Promise.all([...running, granting]);
    },
  };
}

async function beClient(parts: LoadParts, over: AbortSignal): Promise<void> {
  while (!over.aborted) await act(parts);
}

async function act(parts: LoadParts): Promise<void> {
  const { witness, dice } = parts;
  const { careful } = witness;
  const throwOf = dice.below(100);
  if (throwOf < 25) await askKeyed(parts, newKeyed(parts, 'single', careful.liveKey));
  else if (throwOf < 40) await askKeyed(parts, newKeyed(parts, 'bulk', careful.liveKey));
  else if (throwOf < 50)
    await askTwice(parts, newKeyed(parts, dice.oneOf(['single', 'bulk']), careful.liveKey));
  else if (throwOf < 58) await askAgain(parts);
  else if (throwOf < 74) await askCarelessly(parts, newAddress(parts, singleDomains));
  else if (throwOf < 82) await createCarelessly(parts, newBatch(parts));
  else if (throwOf < 86) await askKeyed(parts, newKeyed(parts, 'bulk', careful.testKey));
  else await poll(parts);
}

const singleDomains = [
  'catchall.test',
  'catchall.test',
  'strict.test',
  'slow.test',
  'nullmx.test',
  'nullmx.test',
  'blocked.test',
  'servfail.test',
] as const;

function newAddress({ dice, newNumber }: LoadParts, domains: readonly [string, ...string[]]): string {
  const domain = dice.oneOf(domains);
  const number = newNumber();
  return domain === 'greylist.test'
    ? `regular${number % greylistedPeople}@${domain}`
    : `p${number}@${domain}`;
}

/**
 * Seldom with an address that has to be asked for twice, because such a task takes seconds. Now and then with a duplicate and with what is no address, both of which
 * are free.
 */
function newBatch(parts: LoadParts) {
  const { dice } = parts;
  const accepted = Array.from({ length: 1 + dice.below(12) }, () => newAddress(parts, singleDomains));
  if (dice.chance(0.02)) accepted.push(newAddress(parts, ['greylist.test']));
  const emails = [...accepted];
  if (dice.chance(0.3)) emails.push((accepted[0] ?? '').toUpperCase());
  if (dice.chance(0.3)) emails.push('no address');
  return { emails, accepted };
}

function newKeyed(parts: LoadParts, kind: KeyedRequest['kind'], apiKey: string): KeyedRequest {
  const idempotencyKey = `key-${parts.newNumber()}`;
  const unanswered = { kind, apiKey, idempotencyKey, kept: undefined, resolved: false, asked: 0, charges: 0 };
  const request =
    kind === 'single'
      ? { ...unanswered, body: { email: newAddress(parts, singleDomains) }, accepted: [] }
      : newKeyedBulk(parts, unanswered);
  parts.witness.keyed.push(request);
  return request;
}

function newKeyedBulk(parts: LoadParts, unanswered: Omit<KeyedRequest, 'body' | 'accepted'>): KeyedRequest {
  const isTest = unanswered.apiKey === parts.witness.careful.testKey;
  const { emails, accepted } = isTest ? newTestBatch(parts) : newBatch(parts);
  return { ...unanswered, body: { emails }, accepted };
}

function newTestBatch({ dice, newNumber }: LoadParts) {
  const accepted = Array.from({ length: 1 + dice.below(5) }, () => `p${newNumber()}+safe@any.test`);
  return { emails: accepted, accepted };
}

async function askTwice(parts: LoadParts, request: KeyedRequest): Promise<void> {
  await Promise.all([askKeyed(parts, request), askKeyed(parts, request)]);
}

async function askAgain(parts: LoadParts): Promise<void> {
  const { keyed } = parts.witness;
  const request = keyed[parts.dice.below(keyed.length)];
  if (request?.kept !== undefined) await askKeyed(parts, request);
}

/** One of the last. */
async function poll(parts: LoadParts): Promise<void> {
  const { tasks } = parts.witness;
  const task = tasks[Math.max(0, tasks.length - 1 - parts.dice.below(20))];
  if (task !== undefined) await askTask(parts, task);
}

/** On the command line, beside the service; a quarter of these processes is killed as well. */
async function grant({ witness, dice, home }: LoadParts): Promise<void> {
  const account: WatchedAccount = dice.oneOf([witness.careful, witness.careless]);
  const granting = launch(['credits', 'grant', account.accountId, String(grantedAtOnce), '--json'], home);
  const killed = dice.chance(0.25);
  if (killed) {
    await Promise.race([sleep(200 + dice.below(600)), granting.ended]);
    granting.signal('SIGKILL');
  }
  const code = await granting.ended;
  if (code === 0) {
    account.granted += grantedAtOnce;
    witness.counts.grants += 1;
  } else if (killed && code === null) account.perhapsGranted += grantedAtOnce;
  else witness.violations.push(`a grant ended with ${String(code)}: ${granting.written().toString('utf8')}`);
}
