import { tempers, type ExpectedStatus, type Mailbox, type Temper, type Zone } from '@mailproof/world';

/**
 * The companies of the demonstration, whose mail hosts behave differently, and their people with the expected
 * results. The mail hosts, the operator's lists and the sample list are all made from this one table.
 */

export type Person = {
  name: string;
  /** Local part. */
  who: string;
  /** The status in a list. A single check does not wait, so `alone` is its status if it differs. */
  status: ExpectedStatus;
  alone?: ExpectedStatus | 'verification_unavailable';
  /** The state of the mailbox; undefined if there is no mailbox. */
  mailbox?: Mailbox;
  story: string;
};

export type Company = {
  name: string;
  domain: string;
  /** The one mail host; its name carries the suffix a provider is known by where there is one. */
  host?: { name?: string; temper: Temper };
  /** In place of one MX; `none`: there is no such domain. */
  zone?: Zone | 'none';
  /** Of the operator's lists. */
  disposable?: true;
  people: Person[];
};

/** Makes people of one kind: with their status, the reason for it and the state of their mailbox. */
function kind(status: ExpectedStatus, usualStory: string, mailbox?: Mailbox) {
  return (name: string, who: string, story = usualStory): Person => ({
    name,
    who,
    status,
    story,
    ...(mailbox === undefined ? {} : { mailbox }),
  });
}

const here = kind('safe', 'the mailbox exists', 'exists');
const role = kind('role_account', 'the mailbox exists and belongs to a role', 'exists');
const gone = kind('invalid', 'the mail server says that the mailbox does not exist');
const full = kind('inbox_full', 'the mailbox is over quota', 'full');
const disabled = kind('disabled', 'the mailbox is disabled', 'disabled');
const taken = kind('catch_all', 'the server accepts every address, which proves nothing');
const trap = kind('spamtrap', 'on the operator’s list of spam traps; no server is contacted', 'exists');
const thrownAway = kind('disposable', 'a disposable domain; no server is contacted');
const closed = kind('invalid', 'the domain cannot receive mail');
const untold = kind('unknown', 'the mail server gives no clear answer', 'exists');

const second = 1_000;

export const companies: Company[] = [
  {
    name: 'Northwind Traders',
    domain: 'northwind.example',
    host: { temper: tempers.plain },
    people: [
      here('Ada Lindqvist', 'ada'),
      here('Chidi Okafor', 'chidi.okafor'),
      here('Mary O’Hara', "mary.o'hara+news", 'an unusual but valid local part'),
      role('Sales', 'sales'),
      role('Support', 'support'),
      gone('Tom Baker', 'tom.baker'),
      full('Irina Petrova', 'irina'),
      disabled('Former Intern', 'intern'),
      trap('Prize Draw', 'prize.draw'),
    ],
  },
  {
    name: 'Harbour Books',
    domain: 'harbour-books.example',
    host: { name: 'mx-harbour.google.com', temper: tempers.gmailLike },
    people: [
      here('Yuki Tanaka', 'yuki'),
      here('Lena Fischer', 'lena.fischer'),
      here('Omar Haddad', 'omar'),
      role('Orders', 'orders'),
      gone('Priya Nair', 'priya.nair'),
      full('Jonas Berg', 'jonas'),
      disabled('Carla Ruiz', 'carla'),
    ],
  },
  {
    name: 'Lakeside Clinic',
    domain: 'lakeside-clinic.example',
    host: { name: 'lakeside-clinic-example.mail.protection.outlook.com', temper: tempers.microsoft365Like },
    people: [
      here('Dr Amara Diallo', 'a.diallo'),
      here('Sven Olsen', 's.olsen'),
      here('Grace Kim', 'g.kim'),
      role('Reception', 'reception'),
      gone('Peter Novak', 'p.novak'),
      full('Ruth Adler', 'r.adler'),
    ],
  },
  {
    name: 'Bright Ideas Studio',
    domain: 'bright-ideas.example',
    host: { temper: tempers.catchAll },
    people: [
      taken('Zoe Marchetti', 'zoe'),
      taken('Hello', 'hello'),
      taken('Nobody In Particular', 'qwertyuiop'),
    ],
  },
  {
    name: 'Old Mill Foundry',
    domain: 'old-mill.example',
    host: { temper: tempers.starttlsDemanded },
    people: [
      here('Bruno Costa', 'bruno', 'the mail host demands TLS first'),
      gone('Eva Novotna', 'eva'),
      role('Accounts', 'accounts'),
    ],
  },
  {
    name: 'Brückenbau Meier',
    domain: 'brücken-meier.example',
    host: { temper: tempers.smtputf8 },
    people: [
      here('Jörg Meier', 'jörg', 'an internationalised address'),
      gone('Max Muster', 'max'),
      full('Ute Lang', 'ute'),
    ],
  },
  {
    name: 'Patient Bakery',
    domain: 'patient-bakery.example',
    host: { temper: { greylist: { waitMs: second / 2, defers: 'known' } } },
    people: [
      {
        ...here('Noor Rahman', 'noor', 'greylisted; a list asks again a moment later and is let in'),
        alone: 'unknown',
      },
    ],
  },
  {
    name: 'Later Later Ltd',
    domain: 'later-later.example',
    host: { temper: { greylist: { waitMs: 3_600 * second, defers: 'everybody' } } },
    people: [untold('Ines Carvalho', 'ines', 'put off each time it is asked')],
  },
  {
    name: 'Cautious Bank',
    domain: 'cautious-bank.example',
    host: { temper: tempers.blockedAtRcpt },
    people: [
      untold('Victor Hale', 'victor.hale', 'the mail host does not like who asks'),
      untold('Wanda Kowalska', 'wanda', 'the mail host does not like who asks'),
    ],
  },
  {
    name: 'Quiet Night Motel',
    domain: 'quiet-night.example',
    host: { temper: tempers.dead },
    people: [untold('Front Desk', 'desk', 'nothing listens at the mail host')],
  },
  {
    name: 'Closed For Mail',
    domain: 'closed-for-mail.example',
    zone: { mx: [[0, '.']] },
    people: [closed('Anybody', 'anybody', 'the domain says that it takes no mail (null MX)')],
  },
  {
    name: 'Typo & Sons',
    domain: 'no-such-company.example',
    zone: 'none',
    people: [closed('Hugo Typo', 'hugo', 'there is no such domain')],
  },
  {
    name: 'Broken Names',
    domain: 'broken-names.example',
    zone: { mx: [[10, 'mx.broken-names.example']], behaviour: 'servfail' },
    people: [
      {
        ...untold('Olga Ivanova', 'olga', 'the name server of the domain fails'),
        alone: 'verification_unavailable',
      },
    ],
  },
  {
    name: 'Mayfly Mail',
    domain: 'mayfly-mail.example',
    host: { temper: tempers.catchAll },
    disposable: true,
    people: [thrownAway('One Time', 'k3j9x'), thrownAway('Two Times', 'burner')],
  },
];

/** Not in the sample list: it takes as long as we have patience. */
export const slowCompany: Company = {
  name: 'Tar & Feather',
  domain: 'tar-and-feather.example',
  host: { temper: tempers.tarpit },
  people: [untold('Slow Joe', 'joe', 'a tarpit: every reply takes 15 seconds')],
};

/** The list a newcomer drops into the console: everybody of the demonstration, and what real lists are full of. */

type SampleRow = { name: string; company: string; email: string };

/** Rows without a new person: a duplicate in other letters, a blank, a text that is no address, a formula. */
const clutter: SampleRow[] = [
  { name: 'Ada Lindqvist', company: 'Northwind Traders', email: 'ADA@Northwind.example' },
  { name: 'Lena Fischer, again', company: 'Harbour Books', email: 'lena.fischer@harbour-books.example' },
  { name: 'No Address', company: 'Northwind Traders', email: '' },
  { name: 'Bad "Typing"', company: 'Old Mill Foundry', email: 'bruno@@old-mill.example' },
  { name: '=1+1', company: 'A formula, for the spreadsheet', email: 'chidi.okafor@northwind' },
];

export function addressOf({ who }: Person, { domain }: Company): string {
  return `${who}@${domain}`;
}

/** Everybody in turns, one of each company, so that every kind shows early in the list. */
export function sampleRows(): SampleRow[] {
  const most = Math.max(...companies.map(({ people }) => people.length));
  const rounds = Array.from({ length: most }, (_, round) =>
    companies.flatMap((company) => {
      const person = company.people[round];
      if (person === undefined) return [];
      return [{ name: person.name, company: company.name, email: addressOf(person, company) }];
    }),
  );
  return [...rounds.flat(), ...clutter];
}

/** CSV as spreadsheets write it (RFC 4180). */
export function sampleList(): string {
  const lines = sampleRows().map(({ name, company, email }) => [name, company, email].map(quoted).join(','));
  return ['name,company,email', ...lines, ''].join('\r\n');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
