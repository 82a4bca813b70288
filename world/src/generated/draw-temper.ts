/** Draws a host's temper: its replies, and up to three temperaments by place, count, time or connection. */
import type { PlaceWord, Quirk, Temper } from '../smtp/temper.ts';

/** The nature of a host: it knows its mailboxes, accepts all recipients, or answers by place alone. */
export type Heart = 'knows' | 'takes_all' | 'blind';

type DrawnTemper = { temper: Temper; story: string };

/** Refusals without a reason, as OpenSMTPD, Haraka, QQ and others give them. */
const bareRefusals = [
  '550 Rejected',
  '550 Recipient not accepted here',
  '550 I cannot deliver mail for <{recipient}>',
  '524 5.2.4 Mailing list expansion problem: <{recipient}>',
  '550 5.7.1 Rejected',
];

const unknownWords = [
  undefined,
  undefined,
  '550 5.1.1 User unknown',
  '550 No such user here',
  '450 4.1.1 <{recipient}>: Recipient address rejected: User unknown in virtual mailbox table',
];

const tooManyWords = [
  '550 Too many invalid recipients in this session',
  '554 5.7.1 Too many invalid recipients',
  '452 4.5.3 Too many invalid recipients in this session',
  '421 4.7.0 Too many errors',
];

/** Replies of a host about itself, to every recipient of a conversation. */
const forEverybody = [
  '452 4.2.2 Mailbox full',
  '552 5.2.2 <{recipient}>: Quota exceeded (mailbox for user is full)',
  '550 5.2.1 This mailbox is disabled',
  '451 4.3.0 Temporary lookup failure',
  '550 Rejected',
];

/** Some replies name the recipient, as Sendmail and Exchange do; some do not. */
const existsWords = [
  undefined,
  undefined,
  '250 2.1.5 <{recipient}>... Recipient ok',
  '250 OK',
  '252 2.1.5 Cannot verify, will try <{recipient}>',
];

const temperaments = {
  alternates: byPlace(['truth', 'no'], 'again'),
  first_only: byPlace(['truth', 'no'], 'stays'),
  refuses_first: byPlace(['no', 'truth'], 'stays'),
  no_no_truth: byPlace(['no', 'no', 'truth'], 'again'),
  truth_no_no_truth: byPlace(['truth', 'no', 'no', 'truth'], 'again'),
  two_then_no: byPlace(['truth', 'truth', 'no'], 'stays'),
  by_chance: (draw: Draw, reply: string): Quirk => ({
    kind: 'by_place',
    says: drawWords(draw, ['truth', 'truth', 'no']),
    then: pick(draw, ['again', 'stays']),
    reply,
  }),
  distinct: (draw: Draw, reply: string): Quirk => {
    return { kind: 'takes_distinct', recipients: pick(draw, [1, 2, 3, 4, 5]), reply };
  },
  refusals: (draw: Draw, reply: string): Quirk => {
    return { kind: 'counts_refusals', refusals: pick(draw, [1, 2, 3, 4]), reply };
  },
  too_many_invalid: (draw: Draw): Quirk => {
    return { kind: 'counts_refusals', refusals: pick(draw, [1, 2, 3, 4]), reply: pick(draw, tooManyWords) };
  },
  loses_reply: (draw: Draw): Quirk => ({ kind: 'loses_reply', place: pick(draw, [1, 1, 2, 2, 3, 4, 5]) }),
  surplus: (draw: Draw): Quirk => ({
    kind: 'surplus_reply',
    place: pick(draw, [1, 2, 3, 4]),
    reply: pick(draw, ['250 2.1.5 Ok', '550 5.1.1 User unknown', '550 Rejected']),
  }),
  vanishes: (draw: Draw): Quirk => ({ kind: 'vanishes', place: pick(draw, [1, 2, 3, 4, 5]) }),
  late: (draw: Draw): Quirk => ({ kind: 'late', place: pick(draw, [1, 2, 3]), ms: pick(draw, [1, 5, 20]) }),
  changes: (draw: Draw, reply: string): Quirk => {
    const busy = pick(draw, [[0], [1], [0, 1], [1, 2], [2], [0, 2]]);
    return { kind: 'busy', at: 'rcpt', every: 1_000, in: busy, reply };
  },
  busy_banner: (draw: Draw): Quirk => ({
    kind: 'busy',
    at: 'banner',
    every: pick(draw, [2, 3]),
    in: [pick(draw, [0, 1])],
    reply: pick(draw, ['421 4.3.2 {host} too busy', '450 4.3.2 try again later', '554 5.3.2 not now']),
  }),
  busy_rcpt: (draw: Draw): Quirk => ({
    kind: 'busy',
    at: 'rcpt',
    every: pick(draw, [2, 3, 4]),
    in: pick(draw, [[0], [1], [0, 1]]),
    reply: pick(draw, forEverybody),
  }),
  one_client: (draw: Draw): Quirk => ({
    kind: 'one_client',
    reply: pick(draw, ['421 4.7.0 Too many connections from your host', '421 one at a time']),
  }),
} satisfies Record<string, (draw: Draw, reply: string) => Quirk>;

function drawWords(draw: Draw, words: readonly PlaceWord[]): PlaceWord[] {
  return Array.from({ length: pick(draw, [2, 3, 4, 5, 6]) }, () => pick(draw, words));
}

function byPlace(says: readonly PlaceWord[], then: 'again' | 'stays') {
  return (_draw: Draw, reply: string): Quirk => ({ kind: 'by_place', says, then, reply });
}

type Temperament = keyof typeof temperaments;

const drawable = Object.keys(temperaments) as Temperament[];

/** Answers by place alone, without a look at the mailboxes. */
const blindPlaces: readonly (readonly PlaceWord[])[] = [
  ['yes', 'no', 'no', 'yes'],
  ['yes', 'no'],
  ['no', 'yes'],
  ['yes', 'yes', 'no'],
  ['yes', 'no', 'no'],
  ['no', 'yes', 'yes', 'no'],
];

export function drawTemper(draw: Draw, heart: Heart): DrawnTemper {
  const isBare = heart === 'knows' && chance(draw, 0.5);
  const unknown = isBare ? pick(draw, bareRefusals) : pick(draw, unknownWords);
  const bare = isBare && chance(draw, 0.5) && unknown !== undefined ? unknown : pick(draw, bareRefusals);
  const exists = pick(draw, existsWords);
  const drawn = drawTemperaments(draw);
  const quirks = drawn.map((name) => temperaments[name](draw, bare));
  const story = [heart, unknown ?? 'usual words', ...drawn];
  if (heart === 'blind') {
    const says = chance(draw, 0.5) ? pick(draw, blindPlaces) : drawWords(draw, ['yes', 'no']);
    quirks.push({ kind: 'by_place', says, then: 'again', reply: bare });
    story.push(says.join('-'));
  }
  const connection = drawConnection(draw);
  const temper: Temper = {
    ...connection,
    ...(heart === 'takes_all' ? { catchAll: true } : {}),
    replies: { ...(unknown === undefined ? {} : { unknown }), ...(exists === undefined ? {} : { exists }) },
    quirks,
  };
  return { temper, story: [...story, ...Object.keys(connection)].join(', ') };
}

function drawTemperaments(draw: Draw): Temperament[] {
  const count = pick(draw, [0, 1, 1, 1, 2, 2, 3]);
  const drawn = new Set(Array.from({ length: count }, () => pick(draw, drawable)));
  // A lost reply and a surplus one would be in step again: no client could tell.
  if (drawn.has('loses_reply')) drawn.delete('surplus');
  return [...drawn];
}

/** Draws the temperaments of the connection and of all recipients alike. */
function drawConnection(draw: Draw): Temper {
  const reply = '450 4.2.0 <{recipient}>: Greylisted, try again later';
  return {
    ...(chance(draw, 0.25) ? { pipelining: false } : {}),
    ...(chance(draw, 0.05) ? { recipientsPerTransaction: pick(draw, [1, 2]) } : {}),
    ...(chance(draw, 0.05) ? { refusal: { at: 'rcpt', reply: pick(draw, forEverybody) } as const } : {}),
    ...(chance(draw, 0.05)
      ? {
          greylist: {
            waitMs: pick(draw, [5, 3_600_000]),
            defers: pick(draw, ['everybody', 'known'] as const),
            reply,
          },
        }
      : {}),
    ...(chance(draw, 0.06)
      ? {
          fault: {
            phase: 'quit',
            fault: pick(draw, ['fin', 'rst', 'silence', 'reply_421'] as const),
          } as const,
        }
      : {}),
  };
}

/** A seeded source of numbers from 0 up to, but not including, 1. */
export type Draw = () => number;

export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const at = Math.floor(draw() * items.length);
  for (const item of items.slice(at)) return item;
  throw new Error('nothing to pick from');
}

export function chance(draw: Draw, probability: number): boolean {
  return draw() < probability;
}
