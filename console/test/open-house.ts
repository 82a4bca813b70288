/** Everything a file of tests needs: the page built, the service in its world, and a browser. */
import { startDemo, type Demo } from '../../scripts/demo/start-demo.ts';
import { buildConsole } from '../build.ts';
import { openBrowser } from './open-browser.ts';
import { newVisitor, type Visitor, type VisitorOptions } from './visitor.ts';

export type Credits = { granted: number; available: number; reserved: number; spent: number };

export type House = {
  demo: Demo;
  /** Somebody new in front of the page, by default at the service itself. */
  visitor(options?: Partial<VisitorOptions>): Promise<Visitor>;
  /** A new account of its own; the answer is its live key. */
  openAccount(request: { name: string; credits: number; plan?: 'paid' | 'none' }): Promise<string>;
  /** More credits for the account of a key. */
  grant(key: string, credits: number): Promise<void>;
  creditsOf(key: string): Promise<Credits>;
  accountIdOf(key: string): Promise<string>;
  close(): Promise<void>;
};

/** Answers of the sandbox come at once: the page is tested, not the clock. */
const settings = { MAILPROOF_SANDBOX_DELAYS: 'off' };

export async function openHouse(): Promise<House> {
  await buildConsole();
  const demo = await startDemo({ port: 0, settings });
  const browser = await openBrowser().catch(async (error: unknown) => {
    await demo.stop();
    throw error;
  });
  return {
    demo,
    visitor: (options = {}) => newVisitor(browser, { origin: demo.url, ...options }),
    async openAccount({ name, credits, plan = 'paid' }) {
      const account = await askAdmin(demo, '/accounts', { name, credits, plan });
      const key = await askAdmin(demo, `/accounts/${account['account_id'] ?? ''}/keys`, { mode: 'live' });
      return key['api_key'] ?? '';
    },
    async grant(key, credits) {
      const { account_id: id } = await readAccount(demo, key);
      await askAdmin(demo, `/accounts/${id}/grants`, { credits });
    },
    creditsOf: async (key) => (await readAccount(demo, key)).credits,
    accountIdOf: async (key) => (await readAccount(demo, key)).account_id,
    async close() {
      await browser.close();
      await demo.stop();
    },
  };
}

async function askAdmin(
  { url, adminToken }: Demo,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const response = await fetch(`${url}/admin/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

async function readAccount({ url }: Demo, key: string): Promise<{ account_id: string; credits: Credits }> {
  const response = await fetch(`${url}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`account: ${response.status} ${await response.text()}`);
  return (await response.json()) as { account_id: string; credits: Credits };
}
