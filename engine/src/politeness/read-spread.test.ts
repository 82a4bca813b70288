import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPolicyFile } from './read-policy-file.ts';

const readProvider = (google: object) => readPolicyFile(JSON.stringify({ providers: { google } }));

test('a provider may be spread over egress addresses, those of probers elsewhere among them', () => {
  const stated = { routes: ['default', 'office/line-2'], spread: 2, connectionsPerMinuteInAll: 40 };
  const read = readProvider(stated);
  assert.deepEqual(read.kind === 'ok' && read.file.providers.get('google'), stated);
});

const mistakes: [stated: object, line: string][] = [
  [
    { routes: ['office/'] },
    'providers.google.routes[0] is "office/"; it may be an id of a route, or NAME/ID for one of the prober NAME',
  ],
  [{ spread: 0 }, 'providers.google.spread is 0; it may be a whole number from 1 to 100'],
  [
    { spread: 5, connectionsPerMinuteInAll: 4 },
    'providers.google has a connectionsPerMinuteInAll of 4, below its spread of 5',
  ],
];

for (const [stated, line] of mistakes) {
  test(line, () => {
    assert.deepEqual(readProvider(stated), { kind: 'bad', line });
  });
}
