import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

const known = ['verify', 'parse', 'classify', 'doctor', 'config'];

test('a slip of the finger finds the name that was meant', () => {
  for (const [typed, meant] of [
    ['vrify', 'verify'],
    ['docter', 'doctor'],
    ['clasify', 'classify'],
    ['conifg', 'config'],
    ['prase', 'parse'],
    ['verify', 'verify'],
  ] as const) {
    assert.equal(nearestName(typed, known), meant);
  }
});

test('a name unlike all of them gets no suggestion', () => {
  for (const typed of ['', 'x', 'serve-everything', 'zzzzzz'])
    assert.equal(nearestName(typed, known), undefined);
  assert.equal(nearestName('verify', []), undefined);
});
