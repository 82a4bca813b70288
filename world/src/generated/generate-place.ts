/**
 * Mail hosts made at random from a seed: a set of mailboxes (the truth), and temperaments that stand between them and
 * the client. The same seed makes the same place.
 *
 * The truth is fair: it expects of a client only knowledge that a client can gain.
 * - A host that knows its mailboxes: `exists` may be called safe or a role, `unknown` invalid, `full` and `disabled` by
 *   their names. `catch_all` is wrong.
 * - A host that accepts every recipient, or answers by place alone: `catch_all` is the only conclusion. Exceptions are
 *   mailboxes that it names as full or disabled, or refuses in every place.
 * - A backup host proves nothing about the domain: the truth is that of the preferred host.
 * - If one of two hosts of equal preference accepts every recipient, `catch_all` is right as well.
 * - No host lies with a reason: replies by place, count or time carry no reason, or one about the host itself. No host
 *   both loses a reply and sends one too many, which would be in step again. `unknown` is never wrong.
 */
import type { ExpectedStatus } from '../cast/place.ts';
import { seededRandom } from '../smtp/act.ts';
import type { Mailbox } from '../smtp/temper.ts';
import type { HostDescription, WorldDescription } from '../start-world.ts';
import { chance, type Draw, drawTemper, type Heart, pick } from './draw-temper.ts';

export type GeneratedAddress = { address: string; truth: string; allowed: readonly ExpectedStatus[] };

export type GeneratedPlace = {
  seed: number;
  domain: string;
  world: WorldDescription;
  addresses: readonly GeneratedAddress[];
  /** One by one for a waiting caller, all at once for a list, or the first alone and then a list. */
  asked: 'one_by_one' | 'at_once' | 'first_alone';
  /** A description for the report. */
  story: string;
};

type Truth = 'exists' | 'unknown' | 'full' | 'disabled' | 'refused';

/** The right conclusions about a mailbox, by nature of the host and state of the mailbox. */
const allowedBy: Record<Heart, Partial<Record<Truth, readonly ExpectedStatus[]>>> = {
  knows: {
    exists: ['safe', 'role_account'],
    unknown: ['invalid'],
    full: ['inbox_full'],
    disabled: ['disabled'],
  },
  takes_all: {
    exists: ['catch_all'],
    unknown: ['catch_all'],
    full: ['inbox_full'],
    disabled: ['disabled'],
    refused: ['disabled'],
  },
  blind: { exists: ['catch_all'], unknown: ['catch_all'] },
};

const names = [
  'ada',
  'x.ada',
  'bob.miller',
  'miller',
  'info',
  'ada.b',
  'eve_92',
  'h',
  'irene',
  'sales',
  'k2',
  'lu',
];

export function generatePlace(seed: number): GeneratedPlace {
  const draw: Draw = seededRandom(seed);
  const domain = `g${seed}.test`;
  const heart: Heart = pick(draw, ['knows', 'knows', 'knows', 'knows', 'takes_all', 'blind']);
  const truths = drawTruths(draw, heart);
  const mailboxes = mailboxesOf(truths);
  const around = drawSurroundings(draw, domain, { heart, mailboxes });
  const also: ExpectedStatus[] = around.hasOpenTwin ? ['catch_all'] : [];
  return {
    seed,
    domain,
    world: around.world,
    addresses: truths.map(([name, truth]) => ({
      address: `${name}@${domain}`,
      truth: `${truth} (${heart})`,
      allowed: [...(allowedBy[heart][truth] ?? []), ...also],
    })),
    asked: pick(draw, ['one_by_one', 'at_once', 'at_once', 'first_alone']),
    story: around.story,
  };
}

function drawTruths(draw: Draw, heart: Heart): [string, Truth][] {
  const states: Record<Heart, Truth[]> = {
    knows: ['exists', 'exists', 'exists', 'unknown', 'unknown', 'unknown', 'full', 'disabled'],
    takes_all: ['exists', 'unknown', 'unknown', 'full', 'disabled', 'refused'],
    blind: ['exists', 'unknown'],
  };
  const count = pick(draw, [1, 2, 2, 3, 4, 6, 9, 12]);
  return names.slice(0, count).map((name) => [name, pick(draw, states[heart])]);
}

function mailboxesOf(truths: readonly [string, Truth][]): Record<string, Mailbox> {
  const known = truths.flatMap(([name, truth]): [string, Mailbox][] => {
    if (truth === 'unknown') return [];
    return [[name, truth === 'refused' ? { reply: '550 Rejected' } : truth]];
  });
  return Object.fromEntries(known);
}

const surroundings = [
  'backup',
  'backup',
  'dead_first',
  'busy_first',
  'pool',
  'open_pool',
  'addresses',
  'dead',
] as const;

type Surroundings = { world: WorldDescription; story: string; hasOpenTwin: boolean };

/** A drawn host, before it has a name. */
type Core = { heart: Heart; mailboxes: Record<string, Mailbox> };

function drawSurroundings(draw: Draw, domain: string, core: Core): Surroundings {
  const drawHost = (): { host: HostDescription; story: string } => {
    const { temper, story } = drawTemper(draw, core.heart);
    return { host: { temper, mailboxes: core.mailboxes }, story };
  };
  const main = drawHost();
  const [first, second] = [`mx1.${domain}`, `mx2.${domain}`];
  const alone = { story: main.story, hasOpenTwin: false };
  const open: HostDescription = { temper: { catchAll: true } };
  const chain = (
    hosts: Record<string, HostDescription>,
    preferences: readonly number[],
  ): WorldDescription => ({
    zones: { [domain]: { mx: Object.keys(hosts).map((name, at) => [preferences[at] ?? 10, name]) } },
    hosts,
  });
  if (chance(draw, 0.55)) return { ...alone, world: chain({ [first]: main.host }, [10]) };
  switch (pick(draw, surroundings)) {
    case 'backup':
      return {
        ...alone,
        story: `${main.story}; open backup`,
        world: chain({ [first]: main.host, [second]: open }, [10, 20]),
      };
    case 'dead_first': {
      const world = chain({ [first]: { temper: { dead: true } }, [second]: open }, [10, 20]);
      return { ...alone, story: 'dead; open backup', world };
    }
    case 'busy_first': {
      const host = {
        ...main.host,
        temper: { ...main.host.temper, refusal: { at: 'banner', reply: '421 4.3.2 {host} too busy' } },
      } as const;
      return {
        ...alone,
        story: 'busy; open backup',
        world: chain({ [first]: host, [second]: open }, [10, 20]),
      };
    }
    case 'pool': {
      const twin = drawHost();
      return {
        ...alone,
        story: `pool: ${main.story} | ${twin.story}`,
        world: chain({ [first]: main.host, [second]: twin.host }, [10, 10]),
      };
    }
    case 'open_pool':
      return {
        story: `pool: ${main.story} | takes all`,
        hasOpenTwin: true,
        world: chain({ [first]: main.host, [second]: open }, [10, 10]),
      };
    case 'addresses':
      return { ...alone, ...oneName(domain, main, drawHost()) };
    case 'dead': {
      const dead = Object.fromEntries(
        [1, 2, 3].map((at) => [`d${at}.${domain}`, { temper: { dead: true } }]),
      );
      return {
        ...alone,
        story: `three dead, then ${main.story}`,
        world: chain({ ...dead, [first]: main.host }, [10, 20, 30, 40]),
      };
    }
  }
}

type Drawn = { host: HostDescription; story: string };

/** Returns one host name with two addresses, with a different machine at each. */
function oneName(domain: string, one: Drawn, other: Drawn): Pick<Surroundings, 'world' | 'story'> {
  const seed = Number(/\d+/.exec(domain)?.[0] ?? 0);
  const network = `127.${64 + ((seed >> 15) % 128)}.${(seed >> 7) & 255}`;
  const addresses = [1, 2].map((at) => `${network}.${(seed & 127) * 2 + at - 1}`);
  const [first = '', second = ''] = addresses;
  return {
    story: `one name: ${one.story} | ${other.story}`,
    world: {
      zones: { [domain]: { mx: [[10, `mx.${domain}`]] }, [`mx.${domain}`]: { a: addresses } },
      hosts: {
        [`a.${domain}`]: { ...one.host, address: first },
        [`b.${domain}`]: { ...other.host, address: second },
      },
    },
  };
}
