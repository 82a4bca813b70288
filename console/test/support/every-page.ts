import { createClient } from '@mailproof/client';
import type { Page } from 'playwright-core';
import { sampleList, sampleRows } from '../../../cli/src/demo/companies.ts';
import { accessibilityFaults } from './accessibility.ts';
import { agree, bringList, chooseFile, headline } from './list-steps.ts';
import type { ConsoleFixture } from './open-fixture.ts';
import { signIn } from './sign-in.ts';
import { takePicture } from './take-picture.ts';

/** A page of the console with content. Each must pass axe-core and fit the window; a picture of it is saved. */
type Place = {
  name: string;
  /** Its path; none if the last page leads to it. */
  path?: string;
  heading: string | RegExp;
  /** Steps on the page before the checks. */
  act?: (page: Page) => Promise<void>;
};

async function check(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('region', { name: 'Evidence' }).waitFor();
}

/** The sample list without its deferred addresses. */
const contacts = {
  name: 'contacts.csv',
  text: sampleList()
    .split('\r\n')
    .filter((line) => !/later-later|patient-bakery/.test(line))
    .join('\r\n'),
};

async function refuseFile(page: Page): Promise<void> {
  await chooseFile(page, { name: 'colours.csv', text: 'colour,size\nred,1\nblue,2\n' });
  await page.getByText('This list cannot be read').waitFor();
}

async function openAgreement(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Check \d+ addresses/ }).click();
  await page.getByRole('dialog').waitFor();
}

async function confirmAgreement(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Spend and check' }).click();
  await headline(page).waitFor();
}

/** Pauses a list with deferred addresses, so that it stays paused during the checks. */
async function pauseList(page: Page): Promise<void> {
  await bringList(page, { name: 'later.csv', text: sampleList() });
  await agree(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
}

async function cancelList(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel the check' }).click();
  await page.getByRole('dialog').waitFor();
}

async function openRow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'a.diallo@lakeside-clinic.example' }).click();
  await page.getByRole('dialog').waitFor();
}

async function createKey(page: Page): Promise<void> {
  await page.getByLabel('Name of the new key').fill('newsletter');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').waitFor();
}

/** Opens the limits of a new key, and the dialog of another key above them. */
async function openLimits(page: Page): Promise<void> {
  await page.getByText('Limit what the key may do').click();
  await page
    .getByRole('button', { name: /^Limits of / })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
}

const ofAccount = (taskId: string, webhookId: string): Place[] => [
  { name: 'check', path: '/check', heading: 'Check an address' },
  {
    name: 'check-safe',
    path: '/check',
    heading: 'Check an address',
    act: (page) => check(page, 'yuki@harbour-books.example'),
  },
  {
    name: 'check-invalid',
    path: '/check',
    heading: 'Check an address',
    act: (page) => check(page, 'p.novak@lakeside-clinic.example'),
  },
  {
    name: 'check-unknown',
    path: '/check',
    heading: 'Check an address',
    act: (page) => check(page, 'victor.hale@cautious-bank.example'),
  },
  { name: 'lists', path: '/lists', heading: 'Lists' },
  { name: 'lists-refused', path: '/lists', heading: 'Lists', act: refuseFile },
  { name: 'list-found', path: '/lists', heading: 'Lists', act: (page) => bringList(page, contacts) },
  { name: 'list-agree', heading: contacts.name, act: openAgreement },
  { name: 'list-done', heading: contacts.name, act: confirmAgreement },
  { name: 'list-row', heading: contacts.name, act: openRow },
  { name: 'list-paused', path: '/lists', heading: 'Lists', act: pauseList },
  { name: 'list-cancel', heading: 'later.csv', act: cancelList },
  { name: 'lists-all', path: '/lists', heading: 'Lists' },
  { name: 'tasks', path: '/tasks', heading: 'Tasks' },
  { name: 'task', path: `/tasks/${taskId}`, heading: /contacts/ },
  { name: 'account', path: '/account', heading: 'Account' },
  { name: 'account-new-key', path: '/account', heading: 'Account', act: createKey },
  { name: 'webhooks', path: '/webhooks', heading: 'Webhooks' },
  { name: 'webhook', heading: 'Webhook', path: `/webhooks/${webhookId}` },
  { name: 'account-key-limits', path: '/account', heading: 'Account', act: openLimits },
  { name: 'not-found', path: '/operator/nowhere', heading: 'Page not found' },
];
const ofTestKey: Place[] = [
  { name: 'sandbox-check', path: '/check', heading: 'Check an address' },
  {
    name: 'sandbox-check-greylisted',
    path: '/check',
    heading: 'Check an address',
    act: (page) => check(page, 'ada+greylisted@example.com'),
  },
  {
    name: 'sandbox-list',
    path: '/lists',
    heading: 'Lists',
    act: (page) => bringList(page, { name: 'try.csv', text: 'email\nada+safe@example.com\n' }),
  },
];
const ofOperator = (accountId: string): Place[] => [
  { name: 'operator', path: '/operator', heading: 'Health' },
  { name: 'operator-accounts', path: '/operator/accounts', heading: 'Accounts' },
  { name: 'operator-account', path: `/operator/accounts/${accountId}`, heading: 'Demonstration' },
  { name: 'operator-audit-log', path: '/operator/audit-log', heading: 'Audit log' },
];

type Looks = { width: number; themes: readonly ('light' | 'dark')[] };

/** Visits all pages and returns their faults. */
export async function lookAtEveryPage(fixture: ConsoleFixture, { width, themes }: Looks): Promise<string[]> {
  const { url: origin, liveKey, testKey, adminToken } = fixture.demo;
  const taskId = await runTask(fixture);
  const accountId = await fixture.accountIdOf(liveKey);
  const visitor = await fixture.visitor({ width });
  const { page } = visitor;
  visitor.expectTrouble('400 /api/v1/lists');
  const faults: string[] = [];
  const look = async ({ name, path, heading, act }: Place): Promise<void> => {
    if (path !== undefined && page.url() !== origin + path) await page.goto(origin + path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await act?.(page);
    await page.waitForLoadState('networkidle');
    if (await isTooWide(page)) faults.push(`${name}: wider than the window`);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await takePicture(page, `${name}-${width}-${theme}`);
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${name} (${theme}): ${fault}`));
    }
  };
  await look({ name: 'sign-in', path: '/', heading: 'Sign in' });
  await signIn(page, { origin, secret: liveKey });
  for (const place of ofAccount(taskId, await createWebhook(fixture))) await look(place);
  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  };
  await signOut();
  await signIn(page, { origin, secret: testKey });
  for (const place of ofTestKey) await look(place);
  await signOut();
  await signIn(page, { origin, secret: adminToken });
  for (const place of ofOperator(accountId)) await look(place);
  await visitor.leave();
  return faults;
}

async function isTooWide(page: Page): Promise<boolean> {
  return await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}

/** Runs the sample list as one task and returns its ID. */
async function runTask({ demo }: ConsoleFixture): Promise<string> {
  const client = createClient({ baseUrl: demo.url, apiKey: demo.liveKey });
  const emails = sampleRows().map(({ email }) => email);
  const { task_id: id } = await client.runTask(emails, { name: 'contacts.csv' });
  return id;
}

/** Creates an endpoint without a server behind it, sends a test to it, and returns its ID. */
async function createWebhook({ demo }: ConsoleFixture): Promise<string> {
  const { webhooks } = createClient({ baseUrl: demo.url, apiKey: demo.liveKey });
  const { webhook_id: id } = await webhooks.create({
    url: 'https://hooks.example/a/long/path/to/an/endpoint/of/a/customer/with/many/words',
    events: ['task.completed', 'credits.low'],
  });
  await webhooks.test(id);
  return id;
}
