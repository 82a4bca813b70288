import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { lookAtEveryPage } from '../support/every-page.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';

describe('every page', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  for (const width of [390, 1280]) {
    test(`is sound at ${width} points in both themes`, async () => {
      assert.deepEqual(await lookAtEveryPage(fixture, { width, themes: ['light', 'dark'] }), []);
    });
  }
});
