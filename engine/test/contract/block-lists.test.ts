import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tempers, type HostDescription, type World, type WorldDescription } from '@mailproof/world';
import type { EngineSettings } from '../../src/create-engine.ts';
import type { EngineMemory, Remembered } from '../../src/memory.ts';
import { startEngine, type EngineInWorld } from '../support/start-engine.ts';

/**
 * An address of ours that is put on block lists: closed when a list has it, open again when the list has removed it.
 */
const ours = '192.0.2.25';
const zen = 'zen.spamhaus.org';

/** Hosts of one temper, each in a network of its own. */
function hostsOf(kind: string, count: number, temper: HostDescription['temper'] = {}): WorldDescription {
  const world: WorldDescription = { zones: {}, hosts: {} };
  for (let number = 0; number < count; number += 1) {
    const domain = `${kind}${number}.test`;
    world.zones[domain] = { mx: [[10, `mx.${domain}`]] };
    const address = `127.${30 + (kind.length % 50)}.${number}.1`;
    world.hosts[`mx.${domain}`] = { temper, address, mailboxes: { ada: 'exists' } };
  }
  return world;
}

function together(...worlds: WorldDescription[]): WorldDescription {
  return {
    zones: Object.assign({}, ...worlds.map(({ zones }) => zones)) as WorldDescription['zones'],
    hosts: Object.assign({}, ...worlds.map(({ hosts }) => hosts)) as WorldDescription['hosts'],
    blockLists: { [zen]: [], 'bans.test': [] },
    seenAs: { '127.0.0.1': ours },
  };
}

type Started = EngineInWorld & { told: string[]; ask: (email: string, account?: string) => Promise<string> };

async function start(
  description: WorldDescription,
  settings: Partial<EngineSettings> = {},
): Promise<Started> {
  const told: string[] = [];
  const started = await startEngine(description, {
    pacing: 'on',
    blockLists: [zen],
    policyFile: routesAt([ours]),
    onProblem: (message) => void told.push(message),
    ...settings,
  });
  const { verify } = started;
  return {
    ...started,
    told,
    async ask(email, account = 'one') {
      const outcome = await verify(email, { asker: { urgency: 'single', account } });
      if (outcome.kind === 'verdict') return outcome.explanation.reason;
      return outcome.kind === 'invalid_address'
        ? outcome.kind
        : `${outcome.kind} ${outcome.explanation.reason}`;
    },
  };
}

function routesAt(publicAddresses: string[]): NonNullable<EngineSettings['policyFile']> {
  return {
    providers: new Map(),
    routes: [{ id: 'default', kind: 'direct', publicAddresses }],
    canaries: [],
  };
}

/** Waits for the effect of a DNS answer; a test that waits in vain fails by its own time limit. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const isClosed = ({ engine }: Started): boolean => engine.health().closed.length > 0;
const connections = (world: World): number => world.counts.smtp.connections;

describe('an egress address on a block list', { timeout: 60_000 }, () => {
  test('closes within 5 further connections of a confirmed listing, and says where to ask for its end', async (t) => {
    const started = await start(together(hostsOf('listed', 60, tempers.consultsBlockList)));
    t.after(() => started.stop());
    const { world, ask, told } = started;
    // Looked up at the start, when nothing was wrong.
    await until(() => world.dnsQueries.some(({ name }) => name === `25.2.0.192.${zen}`));
    assert.equal(await ask('ada@listed0.test'), 'mailbox_accepted');
    world.blockLists.add(zen, ours);
    const answers: string[] = [];
    for (let number = 1; number < 60; number += 1) answers.push(await ask(`ada@listed${number}.test`));
    assert.ok(isClosed(started));
    assert.equal(answers.at(-1), 'unavailable egress_closed');
    // Two hosts of two networks have said so; the lookup may take as long as five more conversations.
    assert.ok(connections(world) <= 1 + 2 + 5, `${connections(world)} connections`);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /egress default is closed: zen\.spamhaus\.org lists 192\.0\.2\.25/);
    assert.match(told[0] ?? '', /https:\/\/check\.spamhaus\.org\//);
    assert.match(told[0] ?? '', /mailproof rests end default/);
  });

  test('is found at the start, before any host is asked', async (t) => {
    const description = together(hostsOf('plain', 1));
    const started = await startListed(description);
    t.after(() => started.stop());
    await until(() => isClosed(started));
    assert.equal(await started.ask('ada@plain0.test'), 'unavailable egress_closed');
    assert.equal(connections(started.world), 0);
  });

  test('opens when the list has removed it, and not while the list gives no answer', async (t) => {
    const started = await startListed(together(hostsOf('plain', 2)), { limits: { listedEveryMs: 20 } });
    t.after(() => started.stop());
    const { world, ask } = started;
    await until(() => isClosed(started));
    world.blockLists.turn(zen, 'refuses');
    world.reset();
    await until(() => world.dnsQueries.length > 6);
    assert.equal(await ask('ada@plain0.test'), 'unavailable egress_closed');
    world.blockLists.turn(zen, 'truthful');
    world.blockLists.remove(zen, ours);
    await until(() => !isClosed(started));
    assert.equal(await ask('ada@plain1.test'), 'mailbox_accepted');
    assert.match(started.told.at(-1) ?? '', /egress default is open again/);
  });

  test('hands its work to an address that is not listed', async (t) => {
    const description = together(hostsOf('plain', 4));
    const started = await startListed(description, {
      policyFile: {
        ...routesAt([ours]),
        routes: [
          { id: 'default', kind: 'direct', publicAddresses: [ours] },
          { id: 'second', kind: 'direct', publicAddresses: ['192.0.2.26'] },
        ],
      },
    });
    t.after(() => started.stop());
    await until(() => isClosed(started));
    for (const number of [0, 1, 2, 3])
      assert.equal(await started.ask(`ada@plain${number}.test`), 'mailbox_accepted');
  });

  test('stays closed over a restart, and opens for the operator', async (t) => {
    const kept = keep();
    const description = together(hostsOf('plain', 1));
    const first = await startListed(description, { memory: kept.memory });
    await until(() => isClosed(first));
    await first.stop();
    assert.deepEqual([...kept.entries.keys()], ['closure egress default']);
    const again = await startListed(description, { memory: kept.memory });
    t.after(() => again.stop());
    assert.ok(isClosed(again), 'closed before it has looked anything up');
    kept.tell({ kind: 'closure', key: 'egress default', value: { opened: true }, lifeMs: 60_000 });
    assert.equal(await again.ask('ada@plain0.test'), 'mailbox_accepted');
  });
});

describe('hosts that lie about a listing', { timeout: 60_000 }, () => {
  test('close nothing, however many they are: the list itself says no', async (t) => {
    const started = await start(together(hostsOf('liar', 60, tempers.blockedAtRcpt), hostsOf('plain', 1)), {
      limits: { listingAgainMs: 0 },
    });
    t.after(() => started.stop());
    await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        started.ask(`ada@liar${number}.test`, `account ${number % 3}`),
      ),
    );
    await lookedUpAgain(started);
    assert.equal(await started.ask('ada@plain0.test'), 'mailbox_accepted');
    assert.deepEqual(
      started.told.filter((line) => line.startsWith('egress')),
      [],
    );
  });

  for (const temper of ['lists_everybody', 'empty', 'refuses'] as const)
    test(`are not believed by a list that ${temper}, unless many say so to several accounts`, async (t) => {
      const started = await start(together(hostsOf('liar', 30, tempers.blockedAtRcpt), hostsOf('plain', 1)), {
        limits: { listingAgainMs: 0 },
      });
      t.after(() => started.stop());
      started.world.blockLists.turn(zen, temper);
      await started.ask('ada@plain0.test', 'somebody else');
      for (let number = 0; number < 30; number += 1) await started.ask(`ada@liar${number}.test`);
      await lookedUpAgain(started);
      assert.ok(!isClosed(started), 'one account alone');
      for (let number = 0; number < 3; number += 1) await started.ask(`eve@liar${number}.test`, 'two');
      await until(() => isClosed(started));
      const [closed] = started.engine.health().closed;
      assert.equal(closed?.closure.kind, 'suspected');
      assert.match(started.told.at(-1) ?? '', /closed for an hour/);
    });
});

describe('a provider that bans our address', { timeout: 60_000 }, () => {
  const host = 'mx.eur.olc.protection.outlook.com';
  const description = (): WorldDescription => ({
    ...together(hostsOf('plain', 1)),
    zones: {
      ...hostsOf('plain', 1).zones,
      'one.test': { mx: [[10, host]] },
      'two.test': { mx: [[10, host]] },
    },
    hosts: {
      ...hostsOf('plain', 1).hosts,
      [host]: { temper: tempers.bansAddress, mailboxes: { ada: 'exists', bob: 'exists' } },
    },
  });

  test('is not asked from there any more, while everybody else is; the operator ends that', async (t) => {
    const kept = keep();
    const started = await start(description(), { memory: kept.memory });
    t.after(() => started.stop());
    const { world, ask } = started;
    world.blockLists.add('bans.test', ours);
    assert.equal(await ask('ada@one.test'), 'listed_by_blocklist');
    assert.equal(await ask('bob@one.test'), 'provider_bans_us');
    assert.equal(await ask('ada@two.test', 'two'), 'provider_bans_us');
    assert.equal(await ask('ada@plain0.test'), 'mailbox_accepted');
    assert.equal(world.hosts[host]?.counts.connections, 1);
    assert.equal(started.told.length, 1);
    assert.match(started.told[0] ?? '', /outlook bans egress default \(S3140\).*mailproof rests end outlook/);
    world.blockLists.remove('bans.test', ours);
    kept.tell({ kind: 'closure', key: 'ban default outlook', value: { ended: true }, lifeMs: 60_000 });
    assert.equal(await ask('bob@one.test'), 'mailbox_accepted');
  });
});

/** The lists were asked once more, and their answers have taken effect. */
async function lookedUpAgain({ world }: Started): Promise<void> {
  await until(() => world.dnsQueries.filter(({ name }) => name === `25.2.0.192.${zen}`).length > 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The world lists the address before the engine is there. */
function startListed(
  description: WorldDescription,
  settings: Partial<EngineSettings> = {},
): Promise<Started> {
  return start({ ...description, blockLists: { [zen]: [ours] } }, settings);
}

/** A memory as a store would keep it. */
function keep(): { memory: EngineMemory; entries: Map<string, Remembered>; tell(entry: Remembered): void } {
  const entries = new Map<string, Remembered>();
  let teller: (entries: Remembered[]) => void = () => undefined;
  return {
    entries,
    tell: (entry) => teller([entry]),
    memory: {
      load: () => [...entries.values()],
      learn(entry) {
        if (entry.kind !== 'closure') return;
        if (entry.lifeMs > 0) entries.set(`${entry.kind} ${entry.key}`, entry);
        else entries.delete(`${entry.kind} ${entry.key}`);
      },
      listen: (tell) => void (teller = tell),
    },
  };
}
