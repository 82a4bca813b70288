import { setTimeout as sleep } from 'node:timers/promises';
import { askCarelessly, askKeyed, askTask, createCarelessly, type Asking } from './requests.ts';
import type { Random } from '../../support/random.ts';
import { greylistedPeople } from './load-world.ts';
import type { KeyedRequest, WatchedAccount } from './expectations.ts';
import type { Fixture } from '../../support/open-fixture.ts';
import { startMailproof } from '../../support/mailproof.ts';

/** Mixed load: several clients side by side, each sending one request after another until the end. */
type Load = {
  /** Begins nothing new; resolves when every request has its answer or has lost it. */
  end(): Promise<void>;
};

export type LoadParts = Asking & {
  fixture: Fixture;
  random: Random;
  newNumber: () => number;
  /** Whether the command line grants credits meanwhile. */
  grants: boolean;
};

const clients = 8;
const grantedAtOnce = 150;

export function startLoad(parts: LoadParts): Load {
  const over = new AbortController();
  const running = Array.from({ length: clients }, () => beClient(parts, over.signal));
  const granting = parts.grants && parts.random.chance(0.6) ? grant(parts) : Promise.resolve();
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
  const { expected, random } = parts;
  const { careful } = expected;
  const throwOf = random.below(100);
  if (throwOf < 25) await askKeyed(parts, newKeyed(parts, 'single', careful.liveKey));
  else if (throwOf < 40) await askKeyed(parts, newKeyed(parts, 'bulk', careful.liveKey));
  else if (throwOf < 50)
    await askTwice(parts, newKeyed(parts, random.oneOf(['single', 'bulk']), careful.liveKey));
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

function newAddress({ random, newNumber }: LoadParts, domains: readonly [string, ...string[]]): string {
  const domain = random.oneOf(domains);
  const number = newNumber();
  return domain === 'greylist.test'
    ? `regular${number % greylistedPeople}@${domain}`
    : `p${number}@${domain}`;
}

/**
 * Makes a batch. Few have an address that must be asked for twice, because such a task takes seconds. Some have a
 * duplicate and an invalid address, both of which are free.
 */
function newBatch(parts: LoadParts) {
  const { random } = parts;
  const accepted = Array.from({ length: 1 + random.below(12) }, () => newAddress(parts, singleDomains));
  if (random.chance(0.02)) accepted.push(newAddress(parts, ['greylist.test']));
  const emails = [...accepted];
  if (random.chance(0.3)) emails.push((accepted[0] ?? '').toUpperCase());
  if (random.chance(0.3)) emails.push('no address');
  return { emails, accepted };
}

function newKeyed(parts: LoadParts, kind: KeyedRequest['kind'], apiKey: string): KeyedRequest {
  const idempotencyKey = `key-${parts.newNumber()}`;
  const unanswered = { kind, apiKey, idempotencyKey, kept: undefined, resolved: false, asked: 0, charges: 0 };
  const request =
    kind === 'single'
      ? { ...unanswered, body: { email: newAddress(parts, singleDomains) }, accepted: [] }
      : newKeyedBulk(parts, unanswered);
  parts.expected.keyed.push(request);
  return request;
}

function newKeyedBulk(parts: LoadParts, unanswered: Omit<KeyedRequest, 'body' | 'accepted'>): KeyedRequest {
  const isTest = unanswered.apiKey === parts.expected.careful.testKey;
  const { emails, accepted } = isTest ? newTestBatch(parts) : newBatch(parts);
  return { ...unanswered, body: { emails }, accepted };
}

function newTestBatch({ random, newNumber }: LoadParts) {
  const accepted = Array.from({ length: 1 + random.below(5) }, () => `p${newNumber()}+safe@any.test`);
  return { emails: accepted, accepted };
}

async function askTwice(parts: LoadParts, request: KeyedRequest): Promise<void> {
  await Promise.all([askKeyed(parts, request), askKeyed(parts, request)]);
}

async function askAgain(parts: LoadParts): Promise<void> {
  const { keyed } = parts.expected;
  const request = keyed[parts.random.below(keyed.length)];
  if (request?.kept !== undefined) await askKeyed(parts, request);
}

/** Reads one of the last tasks. */
async function poll(parts: LoadParts): Promise<void> {
  const { tasks } = parts.expected;
  const task = tasks[Math.max(0, tasks.length - 1 - parts.random.below(20))];
  if (task !== undefined) await askTask(parts, task);
}

/** Grants on the command line, beside the service; a quarter of these processes is killed as well. */
async function grant({ expected, random, fixture }: LoadParts): Promise<void> {
  const account: WatchedAccount = random.oneOf([expected.careful, expected.careless]);
  const granting = startMailproof(['credits', 'grant', account.accountId, String(grantedAtOnce), '--json'], {
    env: fixture.env,
  });
  const killed = random.chance(0.25);
  if (killed) {
    await Promise.race([sleep(200 + random.below(600)), granting.ended]);
    granting.child.kill('SIGKILL');
  }
  const { code, stdout, stderr } = await granting.ended;
  if (code === 0) {
    account.granted += grantedAtOnce;
    expected.counts.grants += 1;
  } else if (killed && code === null) account.perhapsGranted += grantedAtOnce;
  else expected.violations.push(`a grant ended with ${String(code)}: ${stdout}${stderr}`);
}
