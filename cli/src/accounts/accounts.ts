import {
  createAccount,
  grantCredits,
  listAccounts,
  mostCredits,
  setPlan,
  setRate,
  showCredits,
  unfreezeAccount,
  type Account,
  type Balance,
  type Plan,
} from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, printRows, refuse, withStore, type PrintedRow } from '../store/with-store.ts';

const json = { type: 'flag', meaning: 'print {account_id, name, plan}, one per line' } as const;
const nameCharactersMax = 200;
const reasonCharactersMax = 500;

const create = defineCommand({
  name: 'accounts create',
  takes: '--name NAME [--plan paid|none] [--credits N]',
  summary: 'create an account, with an active plan unless --plan none is given',
  options: {
    name: {
      type: 'text',
      placeholder: 'NAME',
      meaning: `name of the account, at most ${nameCharactersMax} characters`,
    },
    plan: {
      type: 'text',
      placeholder: 'paid|none',
      meaning: 'paid: can verify addresses; none: read only (default: paid)',
    },
    credits: { type: 'text', placeholder: 'N', meaning: 'initial credits (default: 0)' },
    json,
  },
  examples: ['mailproof accounts create --name "Newsletter team" --credits 5000'],
  words: { required: [], most: 0 },
  async run({ options, ...surroundings }) {
    const name = options.name?.trim() ?? '';
    if (name === '') return refuse('Missing --name NAME', surroundings);
    if (Array.from(name).length > nameCharactersMax)
      return refuse(`--name can have at most ${nameCharactersMax} characters`, surroundings);
    const plan = readPlan(options.plan ?? 'paid');
    if (plan === undefined) return refuse('--plan must be paid or none', surroundings);
    const credits = readAmount(options.credits ?? '0', { least: 0, most: mostCredits });
    if (credits === undefined)
      return refuse(`--credits must be a whole number from 0 to ${mostCredits}`, surroundings);
    return await withStore(surroundings, async (parts) =>
      printRows([accountRow(await createAccount({ name, plan, credits }, parts))], options, surroundings),
    );
  },
});

const list = defineCommand({
  name: 'accounts list',
  takes: '[--json]',
  summary: 'list all accounts, oldest first',
  options: { json },
  examples: ['mailproof accounts list'],
  words: { required: [], most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const accounts = await listAccounts(parts);
      if (accounts.length === 0) surroundings.terminal.tell('No accounts yet');
      return await printRows(accounts.map(accountRow), options, surroundings);
    }),
});

const plan = defineCommand({
  name: 'accounts plan',
  takes: 'ACCOUNT paid|none',
  summary: 'set the plan of an account',
  options: { json },
  examples: ['mailproof accounts plan acct_0123456789abcdef none'],
  words: { required: ['ACCOUNT', 'paid|none'], most: 2 },
  async run({ options, positionals: [accountId = '', text = ''], ...surroundings }) {
    const wanted = readPlan(text);
    if (wanted === undefined) return refuse('The plan must be paid or none', surroundings);
    return await withStore(surroundings, async (parts) => {
      const answer = await setPlan({ accountId, plan: wanted }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      return await printRows([accountRow(answer)], options, surroundings);
    });
  },
});

const rate = defineCommand({
  name: 'accounts rate',
  takes: 'ACCOUNT N|none',
  summary: 'set how many requests a minute an account may send to each process',
  options: { json: { type: 'flag', meaning: 'print {account_id, requests_per_minute}' } },
  notes: ['none uses the default (MAILPROOF_RATE_PER_ACCOUNT). The change takes effect within a second.'],
  examples: ['mailproof accounts rate acct_0123456789abcdef 600'],
  words: { required: ['ACCOUNT', 'N|none'], most: 2 },
  async run({ options, positionals: [accountId = '', text = ''], ...surroundings }) {
    const requestsPerMinute = text === 'none' ? null : Number(text);
    if (requestsPerMinute !== null && !(/^\d{1,7}$/.test(text) && isRate(requestsPerMinute)))
      return refuse('The rate must be a number from 1 to 1000000, or none', surroundings);
    return await withStore(surroundings, async (parts) => {
      const answer = await setRate({ accountId, requestsPerMinute }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      const row = { account_id: accountId, requests_per_minute: requestsPerMinute };
      const words = `${accountId}  ${requestsPerMinute ?? 'as many'} requests a minute${requestsPerMinute === null ? ' as the setting says' : ''}`;
      return await printRows([{ row, words }], options, surroundings);
    });
  },
});

const unfreeze = defineCommand({
  name: 'accounts unfreeze',
  takes: 'ACCOUNT --reason TEXT',
  summary: 'let an account that the audit froze spend credits again',
  options: {
    reason: {
      type: 'text',
      placeholder: 'TEXT',
      meaning: `why, for the audit log, at most ${reasonCharactersMax} characters`,
    },
    json: { type: 'flag', meaning: 'print {account_id, was_frozen}' },
  },
  notes: [
    'To see the error in its ledger, run mailproof audit --account ACCOUNT first. Nothing is repaired: the figures of the account are accepted as they are, and only a later error freezes it again.',
  ],
  examples: ['mailproof accounts unfreeze acct_0123456789abcdef --reason "restored"'],
  words: { required: ['ACCOUNT'], most: 1 },
  async run({ options, positionals: [accountId = ''], ...surroundings }) {
    const reason = options.reason?.trim() ?? '';
    if (reason === '') return refuse('Missing --reason TEXT', surroundings);
    if (Array.from(reason).length > reasonCharactersMax)
      return refuse(`--reason can have at most ${reasonCharactersMax} characters`, surroundings);
    return await withStore(surroundings, async (parts) => {
      const answer = await unfreezeAccount({ accountId, reason }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      const { wasFrozen } = answer;
      const words = `${accountId}  ${wasFrozen ? 'can spend credits again' : 'was not frozen'}`;
      const row = { account_id: accountId, was_frozen: wasFrozen };
      return await printRows([{ row, words }], options, surroundings);
    });
  },
});

export const accountsCommand: CommandGroup = {
  kind: 'group',
  name: 'accounts',
  summary: 'create and list accounts, set their plan and rate, unfreeze them',
  actions: { create, list, plan, rate, unfreeze },
};

function isRate(rate: number): boolean {
  return rate >= 1 && rate <= 1_000_000;
}

function readPlan(text: string): Plan | undefined {
  return text === 'paid' || text === 'none' ? text : undefined;
}

function accountRow({ accountId, name, plan: itsPlan }: Account): PrintedRow {
  return {
    row: { account_id: accountId, name, plan: itsPlan },
    words: `${accountId}  plan ${itsPlan}  ${name}`,
  };
}

const balanceJson = {
  type: 'flag',
  meaning: 'print {account_id, granted, available, reserved, spent}',
} as const;

const grant = defineCommand({
  name: 'credits grant',
  takes: 'ACCOUNT N',
  summary: 'grant credits to an account',
  options: { json: balanceJson },
  examples: ['mailproof credits grant acct_0123456789abcdef 1000'],
  words: { required: ['ACCOUNT', 'N'], most: 2 },
  async run({ options, positionals: [accountId = '', text = ''], ...surroundings }) {
    const credits = readAmount(text, { least: 1, most: mostCredits });
    if (credits === undefined)
      return refuse(`The number of credits must be a whole number from 1 to ${mostCredits}`, surroundings);
    return await withStore(surroundings, async (parts) => {
      const answer = await grantCredits({ accountId, credits }, parts);
      switch (answer.kind) {
        case 'granted':
          return await printRows([balanceRow(accountId, answer)], options, surroundings);
        case 'account_not_found':
          return noAccount(accountId, surroundings);
        case 'idempotency_mismatch':
          throw new Error('a grant without an idempotency key cannot be a repeat');
        case 'too_many_credits':
          return refuse(`An account can be granted at most ${mostCredits} credits in total`, surroundings);
      }
    });
  },
});

const show = defineCommand({
  name: 'credits show',
  takes: 'ACCOUNT',
  summary: 'show the granted, available, reserved and spent credits of an account',
  options: { json: balanceJson },
  examples: ['mailproof credits show acct_0123456789abcdef'],
  words: { required: ['ACCOUNT'], most: 1 },
  run: ({ options, positionals: [accountId = ''], ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const answer = await showCredits(accountId, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      return await printRows([balanceRow(accountId, answer)], options, surroundings);
    }),
});

export const creditsCommand: CommandGroup = {
  kind: 'group',
  name: 'credits',
  summary: 'grant and show credits',
  actions: { grant, show },
};

function balanceRow(accountId: string, { granted, available, reserved, spent }: Balance): PrintedRow {
  return {
    row: { account_id: accountId, granted, available, reserved, spent },
    words: `${accountId}  available ${available}  reserved ${reserved}  spent ${spent}  of ${granted} granted`,
  };
}

/** A whole number of credits from `least` to the most an account may hold; nothing where the text is none. */
function readAmount(text: string, { least, most }: { least: number; most: number }): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return undefined;
  const amount = Number(text);
  return amount >= least && amount <= most ? amount : undefined;
}
