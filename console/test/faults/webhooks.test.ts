import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verifyWebhook } from '@mailproof/client';
import { startReceiver, type Receiver } from '../../../service/test/support/webhooks/start-receiver.ts';
import { accessibilityFaults } from '../support/accessibility.ts';
import { openConsoleFixture, type ConsoleFixture } from '../support/open-fixture.ts';
import { signIn } from '../support/sign-in.ts';

describe('webhooks in the console', () => {
  let fixture: ConsoleFixture;
  let receiver: Receiver;
  before(async () => {
    [fixture, receiver] = await Promise.all([openConsoleFixture(), startReceiver()]);
  });
  after(async () => {
    await fixture.close();
    await receiver.stop();
  });

  test('an endpoint is created, tested, looked at, sent to again, switched off by a 410, and deleted', async () => {
    const { url: origin } = fixture.demo;
    const secret = await fixture.openAccount({ name: 'Listener', credits: 10 });
    const visitor = await fixture.visitor();
    const { page } = visitor;
    await signIn(page, { origin, secret, path: '/account' });
    await page.getByRole('link', { name: 'Manage webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    // The demonstration's world is on loopback, which its settings allow.
    const endpoint = `http://127.0.0.1:${receiver.port}/in`;
    await page.getByLabel('URL of the new endpoint').fill(endpoint);
    await page.getByLabel('Credits run low').check();
    await page.getByLabel('Low means fewer credits than').fill('5');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the secret now' });
    const shown = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.getByRole('link', { name: endpoint }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('row', { name: /webhook\.test.*Delivered/ }).waitFor();
    const [message] = receiver.messages;
    assert.ok(message);
    assert.equal((await verifyWebhook(message.headers, message.body, shown)).type, 'webhook.test');

    receiver.behave('gone');
    await page.getByRole('button', { name: 'webhook.test' }).click();
    const look = page.getByRole('dialog', { name: 'webhook.test' });
    await look.getByText('Delivered (HTTP 204)').waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await look.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The service switched this endpoint off').waitFor();
    assert.equal(receiver.messages[1]?.headers['webhook-id'], message.headers['webhook-id']);
    assert.deepEqual(await accessibilityFaults(page), []);

    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('button', { name: 'Switch off' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No endpoints yet.').waitFor();
    await visitor.leave();
  });
});
