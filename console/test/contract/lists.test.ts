import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addressOf, companies, sampleList, sampleRows } from '../../../cli/src/demo/companies.ts';
import { withoutChromium } from '../support/open-browser.ts';
import { agree, bringList, download, fact } from '../support/list-steps.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

// For other cases see `console/test/faults/lists.test.ts`.
describe('a list', { skip: withoutChromium }, () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsoleFixture();
  });
  after(() => fixture.close());

  test('is uploaded, the tab closed, and it is done and downloaded in another browser', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Two desks', credits: 100 });
    const here = await fixture.visitor();
    await signIn(here.page, { origin, secret });
    await bringList(here.page, { name: 'contacts.csv', text: sampleList() });
    assert.equal(await fact(here.page, 'Rows'), `${sampleRows().length}`);
    assert.deepEqual(
      [
        await fact(here.page, 'Addresses'),
        await fact(here.page, 'Duplicates'),
        await fact(here.page, 'Blank'),
      ],
      ['41', '2', '1'],
    );
    const { available } = await fixture.creditsOf(secret);
    assert.equal(available, 100, 'nothing is spent before it was agreed to');
    await agree(here.page);
    await here.page.getByRole('button', { name: 'Pause' }).waitFor();
    await here.leave();

    const there = await fixture.visitor();
    const { page } = there;
    await signIn(page, { origin, secret, path: '/lists' });
    await page.getByRole('link', { name: 'contacts.csv' }).click();
    const sendable = expectedStatuses().filter((status) => status === 'safe' || status === 'role_account');
    await page.getByRole('heading', { level: 2, name: `${sendable.length} of 41 can be mailed: ` }).waitFor();
    const all = await download(page);
    assert.equal(all.name, 'contacts-checked.csv');
    assert.equal(withoutOurs(all.text), sampleList(), 'the rows are as they were');
    assert.deepEqual(
      statusesIn(all.text)
        .filter((status) => status !== 'rejected')
        .sort(),
      answers().sort(),
    );
    const safe = await download(page, { rows: /^Can be mailed/ });
    assert.equal(safe.name, 'contacts-sendable.csv');
    assert.ok(statusesIn(safe.text).every((status) => status === 'safe' || status === 'role_account'));
    await page.getByLabel('With role accounts').uncheck();
    assert.ok(statusesIn((await download(page)).text).every((status) => status === 'safe'));
    const { reserved, spent } = await fixture.creditsOf(secret);
    const charged = expectedStatuses().filter((status) => status !== 'unknown').length;
    assert.deepEqual({ reserved, spent }, { reserved: 0, spent: charged });
    await page.getByText(`${charged} credits charged`).waitFor();
    await there.leave();
  });
});

/** Returns the statuses of the demonstration's mail hosts for the sample list, duplicates once. */
function expectedStatuses(): string[] {
  return companies.flatMap(({ people: all }) => all.map(({ status }) => status));
}

/** Returns the same row by row: a duplicate has the status of its first row. */
function answers(): string[] {
  const known = new Map(
    companies.flatMap((company) =>
      company.people.map((person) => [addressOf(person, company).toLowerCase(), person.status] as const),
    ),
  );
  return sampleRows()
    .map(({ email }) => known.get(email.toLowerCase()) ?? '')
    .filter((status) => status !== '');
}

const ours = 6;

/** Returns the status of each row that has one. */
function statusesIn(text: string): string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(',').at(-ours) ?? '')
    .filter((status) => status !== '');
}

function withoutOurs(text: string): string {
  return text.replace(/(?:,[^,\r\n]*){6}(?=\r\n)/g, '');
}
