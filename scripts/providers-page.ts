import { builtInPolicies, type BuiltInPolicy } from '../engine/src/politeness/built-in-policies.ts';
import { politenessTable } from '../engine/src/politeness/default-politeness.ts';
import { policyFileBounds } from '../engine/src/politeness/read-policy-file.ts';
import { routeBounds } from '../engine/src/politeness/read-route.ts';
import { providerTable } from '../engine/src/replies/providers.ts';
import { publishedPolicies } from './published-policies.ts';

/** docs/providers.md, made from the engine's tables so that they cannot differ. */
export function providersPage(): string {
  return [
    ...opening,
    ...defaults(),
    ...differences(),
    ...beliefs(),
    ...published(),
    ...fileFormat(),
    ...routes(),
    ...names(),
  ].join('\n');
}

/** The file that the page shows; a test reads it as an operator's. */
export const exampleFile = `{
  "providers": {
    "microsoft": { "asking": "skip" },
    "yahoo": { "asking": "probe" },
    "example.com": { "politeness": { "conversationsPerGroup": 1, "connectionsPerMinute": 6 } },
    ".mx.example.net": { "routes": ["paris"] }
  },
  "routes": [
    { "id": "default", "kind": "direct" },
    {
      "id": "paris",
      "kind": "direct",
      "localAddress": "192.0.2.25",
      "heloName": "paris.example.org",
      "mailFrom": "verify@paris.example.org",
      "perMinute": 60,
      "perDay": 10000,
      "warmUp": { "startPerDay": 500, "doubleEveryDays": 7 }
    },
    {
      "id": "tunnel",
      "kind": "socks5",
      "heloName": "tunnel.example.org",
      "socks5": { "host": "192.0.2.80", "port": 1080, "username": "mailproof", "password": "change me" }
    }
  ],
  "canaries": ["mx1.example.com", "mx1.example.net", "mx1.example.org"]
}`;

const opening = [
  '# Providers: whether, how gently and from where',
  '',
  'Every mail host belongs to a group: the provider that runs it, told by the end of its name, or else the domain',
  'somebody registered for it. The domain of an address never counts: a thousand of those may share one host. One policy',
  'says for each host whether it is asked at all, how gently, and over which routes. This page is written by',
  '`npm run docs` from the tables in the engine (`politeness/`, `replies/providers.ts`).',
  '',
];

function defaults(): string[] {
  const rows = Object.entries(politenessTable).map(([name, { value, meaning, bounds }]) => [
    `\`${name}\``,
    number(value),
    range(bounds),
    meaning,
  ]);
  return [
    '## The defaults',
    '',
    ...table(['limit', 'default', 'may be', 'of what'], rows),
    '',
    'Where several bind, the tightest does. The limit of a network is what keeps a thousand domains, all pointed at the',
    'many addresses of one network, from adding up to a flood; it equals the most that one group can earn, because a',
    'network mostly belongs to one operator.',
    '',
    '`MAILPROOF_PACING=off` lifts all of these but what one conversation may hold (`recipientsPerConversation`,',
    '`refusalsPerConversation`), since more in it would change the answers.',
    '',
    '## When somebody is slowed down or left alone',
    '',
    'Mailboxes that do not exist are counted by account and group. They slow down that account at that group, as the table',
    'says, and nobody else: dirty lists are why people come. A task of a hundred dead addresses still ends within its half',
    'hour. What is known of an account is forgotten an hour after it last asked there.',
    '',
    'A group is left alone for an hour where it complained about us five times within ten minutes, in words or codes that',
    'say so (a block list, reputation, reverse DNS, HELO name, sender, rate), to recipients of more than one domain and,',
    'where more than one account has asked there, of more than one account. What only the recipients of one domain meet',
    'rests that domain there; what only one of several accounts meets slows that account down there. Denied relaying is',
    "about the recipient's domain and counts for nothing. Providers that ask for silence themselves get it (Google ten",
    'minutes, Yahoo two hours), and a host that puts us off, cannot be reached or falls silent is left alone by itself, for',
    'five minutes to an hour. The advice to retry names the real end of a rest.',
    '',
  ];
}

function differences(): string[] {
  return [
    '## Providers that are treated otherwise',
    '',
    'What each publishes, in postmaster pages or in its replies, and what follows from it. Nothing was tried out on the',
    'providers themselves. A provider that is not named here is asked, with the defaults.',
    '',
    ...builtInPolicies.flatMap((policy) => [
      `- **${policy.group}** (${treatment(policy)}). ${policy.stance}`,
    ]),
    '',
  ];
}

function beliefs(): string[] {
  const unasked = providerTable.filter(({ acceptsEverything }) => acceptsEverything === true);
  const believed = providerTable.filter(({ truthfulDomains }) => truthfulDomains !== undefined);
  return [
    '## Whose word is taken',
    '',
    `Not asked, since they accept every address and decide after the message: ${inline(unasked.map(({ id }) => id))}. Their`,
    'addresses are `unknown`, free of charge, for the reason `provider_accepts_everything`.',
    '',
    "Everywhere else an accepted mailbox counts only where a made-up one is refused. The exceptions are a provider's own",
    'domains that are known to refuse unknown mailboxes; domains of customers behind the same hosts are asked like any other.',
    '',
    ...believed.map(({ id, truthfulDomains = [] }) => `- **${id}**: ${truthfulDomains.join(', ')}`),
    '',
  ];
}

function published(): string[] {
  return [
    '## What providers publish about verification without sending',
    '',
    'As far as it is known to us, in our words, and not checked with the providers. Read their current pages before you ask in',
    'volume. Receivers see a connection that names recipients and sends nothing as what directory harvesters do, and groups',
    'against abuse have said that they do not welcome it, whatever the intent: verify addresses that were given to you, ask each',
    'seldom, and set `asking` to `skip` where you would rather not.',
    '',
    ...providerTable.map(({ id }) => `- **${id}**: ${publishedPolicies[id]}`),
    '',
  ];
}

function inline(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}

function treatment({ asking = 'probe', politeness = {} }: BuiltInPolicy): string {
  const limits = Object.entries(politeness).map(([name, value]) => `\`${name}\` ${number(value)}`);
  const told = {
    probe: 'asked',
    skip: 'never asked: `unknown`',
    takes_every_address: 'not asked, since it accepts every address: `unknown`',
  };
  return [told[asking], limits.length === 0 ? 'defaults' : limits.join(', ')].join('; ');
}

function fileFormat(): string[] {
  const { characters, providers, canaries } = policyFileBounds;
  return [
    '## Your own file',
    '',
    '`MAILPROOF_PROVIDERS_FILE` names a JSON file that is laid over the built-in table:',
    '',
    '```json',
    ...exampleFile.split('\n'),
    '```',
    '',
    'All three parts, and every key of a provider, may be left out. A mistake anywhere stops the start with one line that',
    'says where it is and what may stand there; nothing is passed over. The file may have',
    `${number(characters)} characters, ${number(providers)} providers and ${number(canaries)} canaries.`,
    '',
    '`providers`: the name is one of the ids below, or a group (`example.com`), or a suffix of mail hosts that begins with',
    'a dot (`.mx.example.net` is that host and all below it). What an entry does not state stays as it was: first come the',
    'defaults, then the built-in table, then the entry of the group, then entries of suffixes, the longest last. Hosts of a',
    'suffix are still counted with their group.',
    '',
    '- `asking`: `probe` asks; `skip` never does, and the address is `unknown` for the reason `provider_policy`, free of',
    '  charge; `takes_every_address` does not ask either: the address is `unknown`, free of charge, for the reason',
    '  `provider_accepts_everything`.',
    '- `politeness`: any of the limits above. Where you move `conversationsPerGroup` past `conversationsPerGroupAtMost`, or',
    '  the other way, the one you state is meant and the other follows.',
    '- `routes`: ids of the routes that may be used; without it, any.',
    '',
    '`canaries`: mail hosts, best of three different networks and with their consent, that are connected to now and then',
    'to see whether port 25 is open.',
    '',
  ];
}

function routes(): string[] {
  const { perMinute, perDay, startPerDay, doubleEveryDays, port } = routeBounds;
  const rows = [
    ['`id`', 'a name, yours to choose; `default` is the route there is without a file'],
    ['`kind`', '`direct`, or `socks5` through a proxy'],
    ['`localAddress`', 'an IP address of this machine to leave from (`direct`)'],
    [
      '`socks5`',
      `\`host\` (an IP address), \`port\` (${range(port)}), \`username\` and \`password\` or neither`,
    ],
    ['`heloName`', 'the name to introduce ourselves by on this route; without it `MAILPROOF_HELO_NAME`'],
    ['`mailFrom`', 'the sender on this route; without it `MAILPROOF_MAIL_FROM`'],
    ['`perMinute`', `new conversations in a minute (${range(perMinute)}); without it no limit`],
    ['`perDay`', `new conversations in a day (${range(perDay)}); without it no limit`],
    [
      '`warmUp`',
      `\`startPerDay\` (${range(startPerDay)}), doubling \`doubleEveryDays\` (${range(doubleEveryDays)}) until it meets \`perDay\``,
    ],
  ];
  return [
    '## Routes',
    '',
    `Where conversations leave from, ${number(policyFileBounds.routes)} at most. A list that is given is the whole list: name`,
    '`default` in it to keep the default route. Only `id` and `kind` must be there, and `socks5` where that is the kind.',
    '',
    ...table(['key', 'meaning'], rows),
    '',
    'Volume is not limited unless you say so. Sound advice for an address of its own is 60 a minute and 10,000 a day, with',
    'a warm-up from 500 a day that doubles weekly. Routes are not a way around a block: an address that was refused on one',
    'is not asked on another within the hour.',
    '',
  ];
}

function names(): string[] {
  const rows = providerTable.map(({ id, suffixes }) => [
    `\`${id}\``,
    suffixes.map((suffix) => `\`${suffix}\``).join(' '),
  ]);
  return ['## Provider ids', '', ...table(['id', 'mail hosts that end in'], rows), ''];
}

function range([least, most]: readonly [number, number]): string {
  return `${number(least)} to ${number(most)}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** Cells padded to their column, so that the page reads as well before it is rendered. */
function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
