/** The fixture of a test file: the built page, the service in its world, and a browser. */
import { startDemo, type Demo } from '../../../cli/src/demo/start-demo.ts';
import { createApiClient, type Call } from '../../../service/test/support/api-client.ts';
import { buildConsole } from '../../build.ts';
import { openBrowser } from './open-browser.ts';
import { newVisitor, type Visitor, type VisitorOptions } from './visitor.ts';

export type Credits = { granted: number; available: number; reserved: number; spent: number };

export type ConsoleFixture = {
  demo: Demo;
  /** Returns a new visitor, by default of the service itself. */
  visitor(options?: Partial<VisitorOptions>): Promise<Visitor>;
  /** Creates an account and returns its live key. */
  openAccount(request: { name: string; credits: number; plan?: 'paid' | 'none' }): Promise<string>;
  /** Grants credits to the account of a key. */
  grant(key: string, credits: number): Promise<void>;
  creditsOf(key: string): Promise<Credits>;
  accountIdOf(key: string): Promise<string>;
  close(): Promise<void>;
};

/** The sandbox answers at once: these tests are about the page, not the clock. */
const usual = { MAILPROOF_SANDBOX_DELAYS: 'off' };

export async function openConsoleFixture(settings: Record<string, string> = {}): Promise<ConsoleFixture> {
  await buildConsole();
  const demo = await startDemo({ port: 0, settings: { ...usual, ...settings } });
  const browser = await openBrowser().catch(async (error: unknown) => {
    await demo.stop();
    throw error;
  });
  const visitors: Visitor[] = [];
  return {
    demo,
    async visitor(options = {}) {
      const visitor = await newVisitor(browser, { origin: demo.url, ...options });
      visitors.push(visitor);
      return visitor;
    },
    async openAccount({ name, credits, plan = 'paid' }) {
      const account = await askAdmin(demo, '/accounts', { name, credits, plan });
      const key = await askAdmin(demo, `/accounts/${String(account['account_id'])}/keys`, { mode: 'live' });
      return String(key['api_key']);
    },
    async grant(key, credits) {
      const { account_id: id } = await readAccount(demo, key);
      await askAdmin(demo, `/accounts/${id}/grants`, { credits });
    },
    creditsOf: async (key) => (await readAccount(demo, key)).credits,
    accountIdOf: async (key) => (await readAccount(demo, key)).account_id,
    async close() {
      // A visitor who has not left belongs to a failed test.
      for (const visitor of visitors) {
        const words = await visitor.report();
        if (words !== undefined) process.stderr.write(`${words}\n`);
      }
      await browser.close();
      await demo.stop();
    },
  };
}

async function askAdmin(
  { url, adminToken }: Demo,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  return answerOf(url, { path: `/admin/v1${path}`, key: adminToken, body });
}

type Account = { account_id: string; credits: Credits };

async function readAccount({ url }: Demo, key: string): Promise<Account> {
  const answer: unknown = await answerOf(url, { method: 'GET', path: '/api/v1/account', key });
  return answer as Account;
}

async function answerOf(url: string, call: Call): Promise<Record<string, unknown>> {
  const client = createApiClient(url);
  const { status, text, body } = await client.ask(call);
  client.close();
  if (status >= 300) throw new Error(`${call.path}: ${status} ${text}`);
  return body;
}
