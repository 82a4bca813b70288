import { wrap } from '../cli/src/present/text.ts';
import {
  forbiddingProviders,
  builtInPolicies,
  politenessTable,
  type BuiltInPolicy,
} from '../engine/src/politeness/built-in-policies.ts';
import { ipProfileNames, ipProfiles } from '../engine/src/politeness/ip-profile.ts';
import { policyFileBounds, spreadBounds } from '../engine/src/politeness/read-policy-file.ts';
import { routeBounds } from '../engine/src/politeness/read-route.ts';
import { providerTable } from '../engine/src/replies/providers.ts';
import { banRules } from '../engine/src/replies/bans.ts';
import { lookedUp, lookedUpOn, publishedPolicies, type LookedUp } from './published-policies.ts';

const columns = 118;

/** docs/providers.md, made from the engine's tables so that they cannot differ. */
export function providersPage(): string {
  return [
    ...opening,
    ...leavingOut(),
    ...defaults(),
    ...differences(),
    ...bans(),
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
    "google": { "controls": ["me@example.com"] },
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
  '# Providers',
  '',
  ...wrapped(
    'Every mail host belongs to a group: the provider that runs it, recognized by the end of its name, or otherwise its registered domain. The domain of an email address does not matter, because a thousand domains can share one host. For each host, a policy says whether it is asked at all, how fast, and over which routes. This page is written by `npm run docs` from the tables in the engine (`politeness/`, `replies/providers.ts`, `replies/bans.ts`).',
  ),
  '',
];

function bans(): string[] {
  return [
    '## Bans',
    '',
    ...wrapped(
      'Some providers ban an IP address until its operator asks for removal. Such a provider is not asked from that address for a day, and then once. It is not asked from another address instead. Only its own mail hosts are believed. `mailproof rests end` with the provider ends the pause.',
    ),
    '',
    ...table(
      ['provider', 'known by a reply such as', 'where to ask'],
      banRules.flatMap(({ providers, samples, page }) =>
        samples.map((sample) => [providers.map((id) => `\`${id}\``).join(', '), `\`${sample}\``, page]),
      ),
    ),
    '',
  ];
}

function defaults(): string[] {
  const rows = Object.entries(politenessTable).map(([name, { value, meaning, bounds }]) => [
    `\`${name}\``,
    number(value),
    range(bounds),
    meaning,
  ]);
  return [
    '## Defaults',
    '',
    ...table(['limit', 'default', 'range', 'meaning'], rows),
    '',
    ...wrapped(
      'If several limits apply, the tightest one counts. The limit per network keeps a thousand domains that point to the many addresses of one network from adding up to a flood. It equals the most that one group can reach, because a network mostly belongs to one operator.',
    ),
    '',
    ...wrapped(
      '`MAILPROOF_PACING=off` removes all of these limits except `recipientsPerConversation`, `refusalsPerConversation` and the step of growth, and the limits over all destinations below. The limits within one conversation stay, because exceeding them would change the results.',
    ),
    '',
    '## Limits over all destinations',
    '',
    ...wrapped(
      'A list over a thousand hosts stays within the limits of each and is a flood all the same. `MAILPROOF_IP_PROFILE` describes the history of your egress addresses, and limits new connections from each of them over all destinations together. `serve` says at the start which profile is in force, and `mailproof setup` asks whether the address is new. The figures are ours; no receiver publishes any.',
    ),
    '',
    ...table(['profile', 'new connections from an egress address'], profileRows()),
    '',
    ...wrapped(
      'Probes that wait for a connection are served as everywhere: single verifications first, accounts in turn. The account that asks for much waits for itself. An egress address that changes its owner begins without a burst; a restart of the only process begins with one.',
    ),
    '',
    '## Who is slowed down or paused',
    '',
    ...wrapped(
      'Unknown mailboxes are counted per account and group. They slow down that account at that group, as the table says, and no other account. A task of a hundred dead addresses still completes within half an hour if no other account asks for dead addresses there. An account is forgotten an hour after it last asked there.',
    ),
    '',
    ...wrapped(
      'Receivers judge an IP address by its unknown recipients, not by account. So every provider of the table below has a budget for each egress address, over all accounts: `unknownPerMinute` unknown recipients a minute and, beyond that, one for each nine others (`unknownPercent`). Made-up recipients count. When the budget is used up, an account waits if its own last fifty recipients there are above the share. Accounts with few unknown recipients go on, and the first ten recipients of an account are free. So the account that brings the unknown recipients bears the delay.',
    ),
    '',
    ...wrapped(
      'At providers that are known to count unknown recipients (`countsUnknown`), the made-up recipient is named only after an answer that needs it. That is an acceptance, or "full" and "disabled" in words that are not the provider\'s own. That takes one round trip more for the first accepted mailbox of a domain. Everywhere else it is named beside the first mailbox.',
    ),
    '',
    ...wrapped(
      'A group is paused for an hour if it complained about us five times within ten minutes. A complaint names a block list, reputation, reverse DNS, HELO name, sender or rate. The complaints must concern recipients of more than one domain and, if several accounts have asked there, of more than one account. If only the recipients of one domain meet complaints, only that domain is paused there. If only one of several accounts does, only that account is slowed down there. "Relaying denied" is about the recipient\'s domain and is not counted.',
    ),
    '',
    ...wrapped(
      'Providers that ask for a break get it: Google ten minutes, Yahoo two hours. A single host that defers us, cannot be reached or stops answering is paused for five minutes to an hour. The retry advice in an explanation names the real end of a pause.',
    ),
    '',
  ];
}

function profileRows(): string[][] {
  return ipProfileNames.map((name) => {
    const { connectionsPerSecond: rate, burst, warmUp } = ipProfiles[name];
    if (!Number.isFinite(rate)) return [`\`${name}\``, 'no limit: for closed networks and tests'];
    const grows = `; ${warmUp?.startPerDay ?? 0} a day at first, doubled every ${warmUp?.doubleEveryDays ?? 0} days`;
    return [`\`${name}\``, `${rate}/s, burst ${burst}${warmUp === undefined ? '' : grows}`];
  });
}

function differences(): string[] {
  return [
    '## Providers with their own limits',
    '',
    ...wrapped(
      'The notes cite the postmaster pages and replies of each provider, with the consequence for its limits. Nothing was tested on the providers themselves. A provider that is not listed here is asked with the defaults.',
    ),
    '',
    ...builtInPolicies.flatMap((policy) =>
      item(`**${policy.group}** (${treatment(policy)}). ${policy.stance}`),
    ),
    '',
  ];
}

function beliefs(): string[] {
  const unasked = providerTable.filter(({ acceptsEverything }) => acceptsEverything === true);
  const believed = providerTable.filter(({ truthfulDomains }) => truthfulDomains !== undefined);
  return [
    '## Which answers are trusted',
    '',
    ...wrapped(
      `These providers accept every address and decide after they have the message, so they are not asked: ${inline(unasked.map(({ id }) => id))}. Their addresses are \`unknown\`, free of charge, with the reason \`provider_accepts_everything\`.`,
    ),
    '',
    ...wrapped(
      "Everywhere else, an accepted mailbox counts only if a made-up one is rejected. The exceptions are domains of a provider's own that are known to reject unknown mailboxes. Domains of customers on the same hosts are asked like any other.",
    ),
    '',
    ...wrapped(
      'Even there, one made-up address is asked about once a day for each provider and egress route, along with an ordinary conversation. If it is accepted, the log says so, and for a day the domains of that provider are asked like any other.',
    ),
    '',
    ...believed.flatMap(({ id, truthfulDomains = [] }) => item(`**${id}**: ${truthfulDomains.join(', ')}`)),
    '',
  ];
}

function published(): string[] {
  return [
    '## Published policies on verification without sending',
    '',
    ...wrapped(
      `This is what public pages say, in our words, read in archived copies in ${lookedUpOn}. Nothing was checked with the providers: read their current pages before you verify in volume. To a receiver, a connection that names recipients and sends nothing looks like directory harvesting, even without that intent. Verify addresses that were given to you, ask about each rarely, and leave out providers that you would rather not ask.`,
    ),
    '',
    ...lookedUp.flatMap(subject),
    '### Each provider',
    '',
    ...providerTable.flatMap(({ id }) => item(`**${id}**: ${publishedPolicies[id]}`)),
    '',
  ];
}

function subject({ title, says, sources, advice, unconfirmed }: LookedUp): string[] {
  const cited = sources.map(({ name, url }) => [name, `<${url}>`]);
  return [
    `### ${title}`,
    '',
    ...wrapped(says),
    '',
    ...table(['source', 'page'], cited),
    '',
    ...wrapped(advice),
    '',
    ...wrapped(`Not confirmed: ${unconfirmed}`),
    '',
  ];
}

function leavingOut(): string[] {
  return [
    '## Which providers are asked',
    '',
    ...wrapped(
      `\`MAILPROOF_ASK_PROVIDERS\` says which providers are asked at all. \`all\` is the default. \`permitted\` leaves out those whose published policy forbids verification without sending: ${inline(forbiddingProviders)}. \`-outlook,-microsoft\` leaves out the providers named. An address at a provider that is left out is \`unknown\`, free of charge, with the reason \`provider_policy\`; no mail host is contacted, not even by a prober elsewhere. An entry with \`asking\` in your own file (below) takes precedence.`,
    ),
    '',
  ];
}

function inline(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}

function treatment({ asking = 'probe', politeness = {}, countsUnknown }: BuiltInPolicy): string {
  const limits = Object.entries(politeness).map(([name, value]) => `\`${name}\` ${number(value)}`);
  const told = {
    probe: 'asked',
    skip: 'never asked: `unknown`',
    takes_every_address: 'not asked, since it accepts every address: `unknown`',
  };
  const counts = countsUnknown === true ? ['`countsUnknown`'] : [];
  return [told[asking], limits.length === 0 ? 'defaults' : limits.join(', '), ...counts].join('; ');
}

function fileFormat(): string[] {
  const { characters, providers, canaries, controls } = policyFileBounds;
  return [
    '## Your own file',
    '',
    '`MAILPROOF_PROVIDERS_FILE` names a JSON file that overrides the built-in table:',
    '',
    '```json',
    ...exampleFile.split('\n'),
    '```',
    '',
    ...wrapped(
      `All three parts, and every key of a provider, are optional. Any mistake stops the start with one line that names its place and the allowed values; nothing is ignored. The file can have up to ${number(characters)} characters, ${number(providers)} providers and ${number(canaries)} canaries.`,
    ),
    '',
    ...wrapped(
      '`providers`: the name is one of the IDs below, a group (`example.com`), or a suffix of mail hosts that starts with a dot (`.mx.example.net` is that host and all below it). Entries are applied in this order: the defaults, the built-in table, `MAILPROOF_ASK_PROVIDERS`, the entry of the group, entries of suffixes from the shortest to the longest. Values that an entry does not state stay as they were. Hosts of a suffix are still counted with their group.',
    ),
    '',
    ...item(
      '`asking`: `probe` asks. `skip` never asks, and the address is `unknown`, free of charge, with the reason `provider_policy`. `takes_every_address` does not ask either, and the address is `unknown`, free of charge, with the reason `provider_accepts_everything`.',
    ),
    ...item(
      '`politeness`: any of the limits above. If you set `conversationsPerGroup` higher than `conversationsPerGroupAtMost`, or the other way round, the one you set counts and the other follows.',
    ),
    ...item(
      '`routes`: IDs of the routes that can be used (default: any). `NAME/ID` is a route of the prober NAME elsewhere.',
    ),
    ...item(
      `\`spread\`: over how many egress addresses the mailboxes of this provider are spread, ${range(spreadBounds.spread)} (default: 1). Each mailbox always meets the same one. The addresses share the limits of the provider: each has its part of them, and at least one connection.`,
    ),
    ...item(
      `\`connectionsPerMinuteInAll\`: connections that all of them together can open in a minute, ${range(spreadBounds.connectionsPerMinuteInAll)} (default: the limit of one address); each has an equal share.`,
    ),
    ...item(
      '`multipliesLimits`: `true` gives each of them all that one address may do (default: `false`). Many addresses that each do a little at one receiver are what receivers call snowshoe: they list such addresses together, with the network they stand in. Set it only if the provider knows of it.',
    ),
    ...item(
      '`countsUnknown`: whether unknown recipients are counted there. If so, accounts are slowed as described above, and made-up recipients are named only if they are needed.',
    ),
    ...item(
      `\`controls\`: up to ${number(controls)} living mailboxes of your own at this provider or group (not at a suffix). While the provider is asked, they are checked every 15 minutes at most. If it rejects one of them as unknown, as Gmail did to everyone on 14 December 2020, nothing there becomes \`invalid\` until it accepts them again. Its addresses are \`unknown\`, free of charge, with the reason \`control_mailbox_refused\`; the log, \`doctor\` and the health page say so.`,
    ),
    '',
    ...wrapped(
      '`canaries`: mail hosts that are contacted now and then to see whether port 25 is open, and at once if too many mail hosts are silent. Use hosts in three different networks, with the consent of their operators. Without canaries, the mail hosts of your own sender domain are asked in that case. Port 25 counts as blocked only if none of them can be reached.',
    ),
    '',
  ];
}

function routes(): string[] {
  const { perMinute, perDay, startPerDay, doubleEveryDays, port } = routeBounds;
  const rows = [
    ['`id`', 'a name of your choice; `default` is the route that exists without a file'],
    ['`kind`', '`direct`, or `socks5` through a proxy'],
    ['`localAddress`', 'the IP address of this machine to connect from (`direct`)'],
    [
      '`socks5`',
      `\`host\` (an IP address), \`port\` (${range(port)}), \`username\` and \`password\` or neither`,
    ],
    ['`heloName`', 'the HELO name on this route (default: `MAILPROOF_HELO_NAME`)'],
    ['`mailFrom`', 'the sender on this route (default: `MAILPROOF_MAIL_FROM`)'],
    [
      '`publicAddresses`',
      'the IP addresses that mail hosts see, if a proxy or NAT hides them (default: `MAILPROOF_PUBLIC_ADDRESS`)',
    ],
    ['`perMinute`', `new conversations per minute, ${range(perMinute)} (default: no limit)`],
    ['`perDay`', `new conversations per day, ${range(perDay)} (default: no limit)`],
    [
      '`warmUp`',
      `\`startPerDay\` (${range(startPerDay)}), doubled every \`doubleEveryDays\` days (${range(doubleEveryDays)}) until it reaches \`perDay\``,
    ],
  ];
  return [
    '## Routes',
    '',
    ...wrapped(
      `Conversations leave from a route. There can be up to ${number(policyFileBounds.routes)}. The list replaces the built-in one: to keep the default route, include \`default\`. Only \`id\` and \`kind\` are required, and \`socks5\` for that kind.`,
    ),
    '',
    ...table(['key', 'meaning'], rows),
    '',
    ...wrapped(
      'Beyond the profile, volume is not limited unless you set a limit. The profile `new` gives every route without a `warmUp` of its own one from 500 a day that doubles weekly. For a dedicated IP address, we advise 60 conversations a minute and 10,000 a day. Routes are not a way around a block: an address that was rejected on one route is not asked on another within the hour.',
    ),
    '',
  ];
}

function names(): string[] {
  const rows = providerTable.map(({ id, suffixes }) => [
    `\`${id}\``,
    suffixes.map((suffix) => `\`${suffix}\``).join(' '),
  ]);
  return ['## Provider IDs', '', ...table(['ID', 'mail hosts that end in'], rows), ''];
}

/** A paragraph, broken so that it reads as well before it is rendered. */
function wrapped(text: string): string[] {
  return wrapKeepingCode(text, '', '');
}

function item(text: string): string[] {
  return wrapKeepingCode(text, '- ', '  ');
}

/** Breaks at spaces, but not at those between backticks. */
function wrapKeepingCode(text: string, first: string, indent: string): string[] {
  const joined = text.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(' ', '\u00a0'));
  return wrap(joined, { columns, first, indent }).map((line) => line.replaceAll('\u00a0', ' '));
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
