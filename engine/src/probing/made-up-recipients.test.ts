import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRoleNames } from '../lists/mailbox-names.ts';
import { parseAddress } from '../syntax/parse-address.ts';
import { randomProbeNames } from './made-up-recipients.ts';

const nameAt = randomProbeNames('the secret of one installation');
const domains = Array.from({ length: 5_000 }, (_, n) => `domain-${n}.test`);

describe('the name of a made-up address', () => {
  test('is the same for a domain each time, and another for each domain and installation', () => {
    assert.equal(nameAt('plain.test'), randomProbeNames('the secret of one installation')('plain.test'));
    assert.notEqual(nameAt('plain.test'), nameAt('other.test'));
    assert.notEqual(nameAt('plain.test'), randomProbeNames('of another')('plain.test'));
    assert.equal(new Set(domains.map(nameAt)).size, domains.length);
  });

  test('can be spoken, and reads like the name of a person with a number', () => {
    for (const domain of domains)
      assert.match(nameAt(domain), /^(?:[^\W\daeiou_][aeio]){3}[._-]?(?:[^\W\daeiou_][aeio]){4}\d{2,3}$/);
  });

  test('is a local part that every host must take, and never a role', () => {
    const roles = readRoleNames(new URL('../lists/data/role-names.txt', import.meta.url));
    for (const domain of domains) {
      const name = nameAt(domain);
      assert.equal(parseAddress(`${name}@${domain}`).kind, 'valid', name);
      assert.ok(name.length <= 64 && !roles.has(name), name);
    }
  });

  test('has no part that all names of an installation, or of all installations, have in common', () => {
    const names = domains.map(nameAt);
    for (let length = 4; length <= 8; length += 1) {
      const most = Math.max(
        ...[...Map.groupBy(names, (name) => name.slice(0, length)).values()].map((group) => group.length),
      );
      assert.ok(most < 20, `${most} of ${names.length} begin alike`);
    }
  });
});
