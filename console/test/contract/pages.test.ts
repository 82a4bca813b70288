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

  // The other theme and width are looked at in `console/test/faults/pages.test.ts`.
  test('is sound on a desk, in light', async () => {
    assert.deepEqual(await lookAtEveryPage(fixture, { width: 1280, themes: ['light'] }), []);
  });
});
