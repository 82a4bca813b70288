import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { politenessTable } from './built-in-policies.ts';
import type { PolicyFile } from './policy.ts';
import { policyFileBounds, readPolicyFile } from './read-policy-file.ts';

function fileOf(value: unknown): PolicyFile {
  const read = readPolicyFile(JSON.stringify(value));
  assert.ok(read.kind === 'ok', JSON.stringify(read));
  return read.file;
}

function lineOf(text: string): string {
  const read = readPolicyFile(text);
  assert.ok(read.kind === 'bad', text);
  return read.line;
}

describe('a file that is right', () => {
  it('may be empty, part by part and as a whole', () => {
    const empty = { providers: new Map(), routes: [], canaries: [] };
    assert.deepEqual(fileOf({}), empty);
    assert.deepEqual(fileOf({ providers: {}, routes: [], canaries: [] }), empty);
    assert.deepEqual(fileOf({ providers: { google: {} } }).providers, new Map([['google', {}]]));
    assert.equal(readPolicyFile('\ufeff{}\n').kind, 'ok');
  });

  it('is read as it was written, with names in one spelling', () => {
    const { providers, canaries } = fileOf({
      providers: {
        Google: { asking: 'skip', controls: ['Me@Example.COM'] },
        'Example.COM': { politeness: { connectionsPerMinute: 6 }, routes: ['default'] },
        '.MX.example.net': { asking: 'takes_every_address' },
        '.test': { asking: 'probe' },
        '.bücher.example': {},
      },
      canaries: ['MX1.example.com', 'mx2.example.net'],
    });
    assert.deepEqual(
      [...providers],
      [
        ['google', { asking: 'skip', controls: ['Me@Example.COM'] }],
        ['example.com', { politeness: { connectionsPerMinute: 6 }, routes: ['default'] }],
        ['.mx.example.net', { asking: 'takes_every_address' }],
        ['.test', { asking: 'probe' }],
        ['.xn--bcher-kva.example', {}],
      ],
    );
    assert.deepEqual(canaries, ['mx1.example.com', 'mx2.example.net']);
  });

  it('keeps every key of a route, and no key that was not stated', () => {
    const manners = {
      heloName: 'paris.example.org',
      mailFrom: 'verify@paris.example.org',
      publicAddresses: ['192.0.2.25', '2001:db8::25'],
      perMinute: 60,
      perDay: 10_000,
      warmUp: { startPerDay: 500, doubleEveryDays: 7 },
    };
    const { routes } = fileOf({
      routes: [
        { id: 'default', kind: 'direct' },
        { id: 'paris', kind: 'direct', localAddress: '2001:db8::25', ...manners },
        { id: 'open', kind: 'socks5', socks5: { host: '127.0.0.1', port: 1080 } },
        {
          ...manners,
          id: 'tunnel',
          kind: 'socks5',
          socks5: { host: '192.0.2.80', port: 1080, username: 'me', password: 'secret' },
        },
      ],
    });
    assert.deepEqual(routes, [
      { id: 'default', kind: 'direct' },
      { id: 'paris', kind: 'direct', localAddress: '2001:db8::25', ...manners },
      { id: 'open', kind: 'socks5', socks5: { host: '127.0.0.1', port: 1080 } },
      {
        ...manners,
        id: 'tunnel',
        kind: 'socks5',
        socks5: { host: '192.0.2.80', port: 1080, login: { username: 'me', password: 'secret' } },
      },
    ]);
  });
});

describe('a text that is not JSON, or says two things', () => {
  for (const [text, line] of [
    ['', 'the file is not JSON: it ends too early'],
    ['{', "the file is not JSON: Expected property name or '}' at line 1 column 2"],
    ['{"providers": {},\n}', 'the file is not JSON: Expected double-quoted property name at line 2 column 1'],
    [
      '{\n  "providers": {\n    "google": { "asking": skip }\n  }\n}',
      'the file is not JSON: an unexpected character at line 3 column 27',
    ],
    ['// providers\n{}', 'the file is not JSON: an unexpected character at line 1 column 1'],
    [
      '{"providers": {"google": {"asking": "skip"},\n "google": {}}}',
      'the file has a key twice in one object, the second time at line 2 column 2',
    ],
    [
      '{"canaries": [], "c\\u0061naries": []}',
      'the file has a key twice in one object, the second time at line 1 column 18',
    ],
  ] as const) {
    it(JSON.stringify(text), () => assert.equal(lineOf(text), line));
  }

  it('is no trouble where keys repeat in different objects, or only in texts', () => {
    const politeness = { connectionsPerMinute: 1 };
    fileOf({ providers: { google: { politeness }, yahoo: { politeness } } });
    const text =
      '{"routes": [{"id": "default", "kind": "direct", "heloName": "{\\"id\\": 1, \\"id\\": 2}"}]}';
    assert.match(lineOf(text), /^routes\[0\]\.heloName is /);
  });
});

const route = { id: 'default', kind: 'direct' };
const socks5 = { host: '192.0.2.80', port: 1080 };
const through = (proxy: unknown) => ({ routes: [{ id: 'tunnel', kind: 'socks5', socks5: proxy }] });
const routeWith = (extra: object) => ({ routes: [{ ...route, ...extra }] });
const ask = (setting: unknown) => ({ providers: { google: setting } });

const mistakes: [unknown, string][] = [
  [[], 'the file is not an object; it may be one with providers, routes or canaries'],
  [null, 'the file is not an object; it may be one with providers, routes or canaries'],
  [{ provider: {} }, 'the file has "provider", which is not a known key; did you mean providers?'],
  [
    { colour: 1 },
    'the file has "colour", which is not a known key; there may be providers, routes or canaries',
  ],
  [{ providers: [] }, 'providers is not an object; it may be one with names of providers'],
  [
    { providers: { gogle: {} } },
    'providers has "gogle", which is not a known provider; did you mean "google"?',
  ],
  [
    { providers: { gmail: {} } },
    'providers has "gmail", which is not a known provider; did you mean "google"?',
  ],
  [
    { providers: { nobody: {} } },
    'providers has "nobody", which is not a known provider; docs/providers.md lists them, and a suffix of mail hosts begins with a dot',
  ],
  [
    { providers: { 'mx.example.com': {} } },
    'providers has "mx.example.com", whose hosts are counted under "example.com"; write that, or ".mx.example.com" for only the hosts with that name',
  ],
  [
    { providers: { 'google.com': {} } },
    'providers has "google.com", whose hosts are counted under "google"; write that, or ".google.com" for only the hosts with that name',
  ],
  [
    { providers: { 'co.uk': {} } },
    'providers has "co.uk", which is not a group; for all hosts below it write ".co.uk"',
  ],
  [{ providers: { 'exa mple.com': {} } }, 'providers has "exa mple.com", which is not a host name'],
  [{ providers: { '.': {} } }, 'providers has ".", which is not a suffix of a host name'],
  [{ providers: { '*.example.com': {} } }, 'providers has "*.example.com", which is not a host name'],
  [{ providers: { google: {}, Google: {} } }, 'providers has "google" twice, in two spellings'],
  [
    ask('skip'),
    'providers.google is not an object; it may be one with asking, politeness, routes, spread, multipliesLimits, countsUnknown, connectionsPerMinuteInAll or controls',
  ],
  [ask({ askin: 'skip' }), 'providers.google has "askin", which is not a known key; did you mean asking?'],
  [
    ask({ asking: 'never' }),
    'providers.google.asking is "never"; it may be "probe", "skip" or "takes_every_address"',
  ],
  [
    { providers: { '.mx.example.com': { asking: true } } },
    'providers[".mx.example.com"].asking is true; it may be "probe", "skip" or "takes_every_address"',
  ],
  [
    ask({ politeness: { conectionsPerMinute: 3 } }),
    'providers.google.politeness has "conectionsPerMinute", which is not a known key; did you mean connectionsPerMinute?',
  ],
  [
    ask({ politeness: { connectionsPerMinute: '3' } }),
    'providers.google.politeness.connectionsPerMinute is "3"; it may be a whole number from 1 to 60000',
  ],
  [
    ask({ politeness: { connectionsPerSecond: 0.5 } }),
    'providers.google.politeness.connectionsPerSecond is 0.5; it may be a whole number from 1 to 1000',
  ],
  [
    ask({ politeness: { conversationsPerGroup: 4, conversationsPerGroupAtMost: 3 } }),
    'providers.google.politeness has a conversationsPerGroup of 4, above its conversationsPerGroupAtMost',
  ],
  [
    ask({ routes: 'paris' }),
    'providers.google.routes is "paris"; it may be a list of 1 to 100 ids of routes',
  ],
  [ask({ routes: [] }), 'providers.google.routes is a list of 0; it may be a list of 1 to 100 ids of routes'],
  [ask({ routes: ['paris'] }), 'providers.google.routes has "paris"; there may be default'],
  [
    {
      ...ask({ routes: ['default'] }),
      routes: [
        { ...route, id: 'paris' },
        { ...route, id: 'rome' },
      ],
    },
    'providers.google.routes has "default"; there may be paris or rome',
  ],
  [
    ask({ routes: ['default', 'default'] }),
    'providers.google.routes[1] is "default", which is already in the list',
  ],
  [{ routes: {} }, 'routes is an object; it may be a list of 0 to 100 routes'],
  [{ routes: [{ kind: 'direct' }] }, 'routes[0] has no id'],
  [{ routes: [{ id: 'default' }] }, 'routes[0] has no kind; it may be "direct" or "socks5"'],
  [{ routes: [route, route] }, 'routes[1].id is "default", the same as another route\'s'],
  [
    { routes: [{ ...route, id: 'Paris 1' }] },
    'routes[0].id is "Paris 1"; it may be a name of up to 32 small letters, digits, hyphens and underscores',
  ],
  [{ routes: [{ ...route, kind: 'http' }] }, 'routes[0].kind is "http"; it may be "direct" or "socks5"'],
  [
    routeWith({ localAddress: 'localhost' }),
    'routes[0].localAddress is "localhost"; it may be an IP address',
  ],
  [routeWith({ localAddress: '0.0.0.0' }), 'routes[0].localAddress is "0.0.0.0"; it may be an IP address'],
  [
    routeWith({ localAddress: 'fe80::1%eth0' }),
    'routes[0].localAddress is "fe80::1%eth0"; it may be an IP address',
  ],
  [
    routeWith({ heloName: 'localhost' }),
    'routes[0].heloName is "localhost"; it may be a full host name such as mail.example.com',
  ],
  [
    routeWith({ mailFrom: 'a@b.example\r\nDATA' }),
    'routes[0].mailFrom is "a@b.example\\r\\nDATA"; it may be an address such as verify@example.com',
  ],
  [
    routeWith({ mailFrom: 'jürgen@example.com' }),
    'routes[0].mailFrom is "j?rgen@example.com"; it may be an address such as verify@example.com',
  ],
  [routeWith({ perMinute: 0 }), 'routes[0].perMinute is 0; it may be a whole number from 1 to 100000'],
  [
    routeWith({ perDay: 1e12 }),
    'routes[0].perDay is 1000000000000; it may be a whole number from 1 to 100000000',
  ],
  [routeWith({ warmUp: { startPerDay: 5 } }), 'routes[0].warmUp has no doubleEveryDays'],
  [routeWith({ warmUp: { doubleEveryDays: 7 } }), 'routes[0].warmUp has no startPerDay'],
  [
    routeWith({ warmUp: { startPerDay: 500, doubleEveryDays: 91 } }),
    'routes[0].warmUp.doubleEveryDays is 91; it may be a whole number from 1 to 90',
  ],
  ...[{}, { perDay: 499 }].map((volume): [unknown, string] => [
    routeWith({ ...volume, warmUp: { startPerDay: 500, doubleEveryDays: 7 } }),
    'routes[0] warms up, so it needs a perDay to grow to, not below startPerDay',
  ]),
  [routeWith({ socks5 }), 'routes[0] has a socks5, so its kind is "socks5"'],
  [{ routes: [{ id: 'tunnel', kind: 'socks5' }] }, 'routes[0] has no socks5, which names the proxy'],
  [
    { routes: [{ id: 'tunnel', kind: 'socks5', socks5, localAddress: '192.0.2.1' }] },
    'routes[0].localAddress is for routes of kind "direct": a proxy has its own',
  ],
  [through({ port: 1080 }), 'routes[0].socks5 has no host'],
  [through({ host: '192.0.2.80' }), 'routes[0].socks5 has no port'],
  [
    through({ ...socks5, host: 'proxy.example.com' }),
    'routes[0].socks5.host is "proxy.example.com"; it may be an IP address',
  ],
  [
    through({ ...socks5, port: 65_536 }),
    'routes[0].socks5.port is 65536; it may be a whole number from 1 to 65535',
  ],
  [through({ ...socks5, username: 'me' }), 'routes[0].socks5 has a username and no password'],
  [through({ ...socks5, password: 'secret' }), 'routes[0].socks5 has a password and no username'],
  [
    { providers: { google: { controls: ['me at example.com'] } } },
    'providers.google.controls[0] is "me at example.com"; it may be an email address',
  ],
  [
    { providers: { google: { controls: [] } } },
    'providers.google.controls is a list of 0; it may be a list of 1 to 5 email addresses',
  ],
  [
    { providers: { '.mx.example.net': { controls: ['me@example.net'] } } },
    'providers[".mx.example.net"] has controls; they may stand at a provider or a group',
  ],
  [{ canaries: ['localhost'] }, 'canaries[0] is "localhost"; it may be the name of a mail host'],
  [
    { canaries: ['mx.example.com', 'MX.example.com'] },
    'canaries[1] is "MX.example.com", which is already in the list',
  ],
  [{ canaries: [7] }, 'canaries[0] is 7; it may be the name of a mail host'],
];

describe('a mistake is told in one line: its place, the value, and the allowed values', () => {
  for (const [value, line] of mistakes) {
    it(line, () => assert.equal(lineOf(JSON.stringify(value)), line));
  }

  it('of several the first is told', () => {
    const line = lineOf(JSON.stringify({ providers: { google: { asking: 1, politeness: 2 } }, routes: 3 }));
    assert.match(line, /^providers\.google\.asking is 1;/);
  });

  it('and keys that every object inherits are unknown like any other', () => {
    for (const key of ['__proto__', 'constructor', 'toString']) {
      assert.match(lineOf(`{"${key}": {}}`), new RegExp(`^the file has "${key}", which is not a known key`));
      assert.match(lineOf(`{"providers": {"${key}": {}}}`), /which is not a known provider/);
    }
  });
});

test('every number of the politeness table is taken up to its bounds and not past them', () => {
  for (const [name, { bounds }] of Object.entries(politenessTable)) {
    const politeness = (value: number) => JSON.stringify(ask({ politeness: { [name]: value } }));
    for (const value of bounds)
      assert.equal(readPolicyFile(politeness(value)).kind, 'ok', `${name} ${value}`);
    for (const value of [bounds[0] - 1, bounds[1] + 1, bounds[0] + 0.5]) {
      assert.match(lineOf(politeness(value)), new RegExp(`^providers\\.google\\.politeness\\.${name} is `));
    }
  }
});

test('a line never shows a user name or a password, whatever is wrong with them or around them', () => {
  const secret = 'hunter2hunter2';
  const long = secret.repeat(20);
  const texts = [
    through({ ...socks5, username: secret, password: long }),
    through({ ...socks5, username: long, password: secret }),
    through({ ...socks5, username: secret }),
    through({ ...socks5, username: 'me', password: [secret] }),
    through({ ...socks5, username: 'me', pasword: secret }),
    through(`socks5://me:${secret}@192.0.2.80:1080`),
    through([secret]),
  ].map((value) => JSON.stringify(value));
  for (const text of [
    ...texts,
    `{"password": "${secret}" x}`,
    `{"password": ${secret}}`,
    `{"password": "${secret}`,
  ]) {
    assert.doesNotMatch(lineOf(text), /hunter/, text);
  }
});

test('the contents of a file are bounded', () => {
  const { characters, providers, routes, canaries } = policyFileBounds;
  assert.match(lineOf(`{}${' '.repeat(characters)}`), /^the file is longer than 1048576 characters$/);
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`.n${n}.test`, {}]));
  assert.equal(fileOf({ providers: named(providers) }).providers.size, providers);
  assert.equal(
    lineOf(JSON.stringify({ providers: named(providers + 1) })),
    'providers has 10001 names; there may be 10000',
  );
  const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...route, id: `r${n}` }));
  assert.equal(fileOf({ routes: many(routes) }).routes.length, routes);
  assert.match(lineOf(JSON.stringify({ routes: many(routes + 1) })), /^routes is a list of 101;/);
  const hosts = Array.from({ length: canaries + 1 }, (_, n) => `mx${n}.example.com`);
  assert.match(lineOf(JSON.stringify({ canaries: hosts })), /^canaries is a list of 11;/);
});

test('any JSON at all is read or refused with one printable line', () => {
  const key = fc.constantFrom(
    'providers',
    'routes',
    'canaries',
    'google',
    '.test',
    'politeness',
    'id',
    'kind',
    'socks5',
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue(),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(key, fc.string({ unit: 'grapheme' })), tie('node'), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(
      fc.oneof(
        tree.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      (text) => {
        const read = readPolicyFile(text);
        if (read.kind === 'bad') assert.match(read.line, /^[\x20-\x7e…]{1,400}$/u);
      },
    ),
    { numRuns: 2_000 },
  );
});
