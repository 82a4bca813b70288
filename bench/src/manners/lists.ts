import { parseAddress, type Address, type CanonicalHost } from '@mailproof/engine';
import { hourMs, type Temper } from './scripted-world.ts';

/**
 * The lists of three accounts on the day: 20,000 addresses over 4,000 domains, a fifth of them dead. Half of each list
 * comes at midnight, an eighth at eight and at four in the afternoon each, and the rest one by one.
 */
export type List = {
  account: string;
  bursts: readonly Burst[];
  /** Spread evenly over the day. */
  oneByOne: readonly Question[];
  singles: readonly Question[];
};

type Burst = { at: number; questions: readonly Question[] };
export type Question = { address: Address; host: CanonicalHost; ip: string; isDead: boolean; temper: Temper };

/** Domains with the same kind of host: how many, how many addresses at each, and where their mail goes. */
type Crowd = {
  name: string;
  domains: number;
  each: number;
  hostOf: (domain: string) => string;
  temper?: (n: number) => Temper;
};

const ownHost = (domain: string): string => `mx.${domain}`;

const crowds: readonly Crowd[] = [
  { name: 'gmail.com', domains: 1, each: 3_600, hostOf: () => 'gmail-smtp-in.l.google.com' },
  { name: 'outlook.com', domains: 1, each: 1_800, hostOf: () => 'outlook-com.olc.protection.outlook.com' },
  { name: 'icloud.com', domains: 1, each: 600, hostOf: () => 'mx01.mail.icloud.com' },
  { name: 'workspace', domains: 900, each: 3, hostOf: () => 'aspmx.l.google.com' },
  {
    name: 'tenant',
    domains: 900,
    each: 3,
    hostOf: (domain) => `${domain.replaceAll('.', '-')}.mail.protection.outlook.com`,
  },
  { name: 'shop', domains: 200, each: 3, hostOf: () => 'mailstore1.secureserver.net' },
  { name: 'club', domains: 197, each: 4, hostOf: () => 'in1-smtp.messagingengine.com' },
  { name: 'own', domains: 1_000, each: 4, hostOf: ownHost },
  { name: 'careful', domains: 600, each: 4, hostOf: ownHost, temper: () => ({ kind: 'consults' }) },
  {
    name: 'liar',
    domains: 180,
    each: 4,
    hostOf: ownHost,
    temper: (n) => ({ kind: 'claims', list: n % 2 === 0 ? 'zen.spamhaus.org' : 'bl.spamcop.net' }),
  },
  // Fewer than it takes to be believed about a list that cannot be looked up.
  {
    name: 'crank',
    domains: 20,
    each: 4,
    hostOf: ownHost,
    temper: () => ({ kind: 'claims', list: 'bl.crank.example' }),
  },
];

export const domainCount = crowds.reduce((sum, { domains }) => sum + domains, 0);

const accounts = [
  { account: 'clean one', deadPercent: 5 },
  { account: 'clean two', deadPercent: 5 },
  { account: 'dirty', deadPercent: 50 },
];

const honest: Temper = { kind: 'honest' };
const mostSingles = 60;

/** Mailboxes go to the accounts in turn; which are dead follows from their number. */
export function describeLists({ quick }: { quick: boolean }): List[] {
  const all = accounts.map(({ account, deadPercent }) => ({
    account,
    deadPercent,
    questions: [] as Question[],
    singles: [] as Question[],
  }));
  let number = 0;
  for (const { name, domains, each, hostOf, temper: temperOf = () => honest } of crowds)
    for (let n = 0; n < domains; n += 1) {
      const domain = domains === 1 ? name : `${name}${n}.example`;
      const temper = temperOf(n);
      const count = quick ? Math.ceil(each / (domains === 1 ? 10 : 1)) : each;
      // Fewer liars would be no crowd.
      if (quick && n % 10 !== 0 && temper.kind !== 'claims') continue;
      for (let mailbox = 0; mailbox < count; mailbox += 1) {
        const owner = all[number % all.length];
        if (owner === undefined) continue;
        // Multiplied by a prime, so that the dead ones are spread evenly.
        const isDead = (Math.floor(number / all.length) * 37) % 100 < owner.deadPercent;
        const at = { host: hostOf(domain), temper, isDead };
        owner.questions.push(questionAt(`person${number}@${domain}`, at));
        if (!isDead && number % 97 < 3 && owner.singles.length < mostSingles)
          owner.singles.push(questionAt(`single${number}@${domain}`, at));
        number += 1;
      }
    }
  return all.map(({ account, questions, singles }) => ({ account, singles, ...overTheDay(questions) }));
}

/** Liars are met one by one, so that they speak all day. */
function overTheDay(questions: readonly Question[]): Pick<List, 'bursts' | 'oneByOne'> {
  const { liars = [], others = [] } = Object.groupBy(questions, ({ temper }) =>
    temper.kind === 'claims' ? 'liars' : 'others',
  );
  shuffle(others);
  const eighth = Math.ceil(others.length / 8);
  const oneByOne = [...others.slice(6 * eighth), ...liars];
  shuffle(oneByOne);
  return {
    bursts: [
      { at: 0, questions: others.slice(0, 4 * eighth) },
      { at: 8 * hourMs, questions: others.slice(4 * eighth, 5 * eighth) },
      { at: 16 * hourMs, questions: others.slice(5 * eighth, 6 * eighth) },
    ],
    oneByOne,
  };
}

function questionAt(
  email: string,
  { host, temper, isDead }: { host: string; temper: Temper; isDead: boolean },
): Question {
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') throw new Error(email);
  return { address: parsed.address, host: host as CanonicalHost, ip: addressFor(host), isDead, temper };
}

/** Some address for a host, always the same. */
function addressFor(host: string): string {
  const sum = Array.from(host).reduce((value, letter) => (value * 31 + letter.charCodeAt(0)) % 16_000_000, 7);
  return `11.${(sum >> 16) & 255}.${(sum >> 8) & 255}.${sum & 255}`;
}

/** Always the same order. */
function shuffle(items: Question[]): void {
  let seed = 42;
  for (let last = items.length - 1; last > 0; last -= 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const other = seed % (last + 1);
    [items[last], items[other]] = [items[other] as Question, items[last] as Question];
  }
}
