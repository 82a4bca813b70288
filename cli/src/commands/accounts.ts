import {
  createAccount,
  listAccounts,
  mostCredits,
  setPlan,
  type Account,
  type Plan,
} from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, refuse, say, type Said } from '../store/answer.ts';
import { readAmount } from '../store/read-amount.ts';
import { withStore } from '../store/with-store.ts';

const json = { type: 'flag', meaning: '{account_id, name, plan}, one a line' } as const;
const nameCharactersMax = 200;

const create = defineCommand({
  name: 'accounts create',
  takes: '--name NAME [--plan paid|none] [--credits N]',
  summary: 'make an account; without --plan it has an active one',
  options: {
    name: {
      type: 'text',
      placeholder: 'NAME',
      meaning: `what you call it, ${nameCharactersMax} characters at most`,
    },
    plan: {
      type: 'text',
      placeholder: 'paid|none',
      meaning: 'whether it may create verifications (paid unless given)',
    },
    credits: { type: 'text', placeholder: 'N', meaning: 'credits to begin with (0 unless given)' },
    json,
  },
  examples: ['mailproof accounts create --name "Newsletter team" --credits 5000'],
  words: { least: 0, most: 0 },
  async run({ options, ...surroundings }) {
    const name = options.name?.trim() ?? '';
    if (name === '' || Array.from(name).length > nameCharactersMax) {
      return refuse(`--name is needed, ${nameCharactersMax} characters at most`, surroundings);
    }
    const plan = readPlan(options.plan ?? 'paid');
    if (plan === undefined) return refuse('--plan may be paid or none', surroundings);
    const credits = readAmount(options.credits ?? '0', { least: 0, most: mostCredits });
    if (credits === undefined)
      return refuse(`--credits may be a whole number from 0 to ${mostCredits}`, surroundings);
    return await withStore(surroundings, async (parts) =>
      say([saidOf(await createAccount({ name, plan, credits }, parts))], options, surroundings),
    );
  },
});

const list = defineCommand({
  name: 'accounts list',
  takes: '[--json]',
  summary: 'list all accounts, the oldest first',
  options: { json },
  examples: ['mailproof accounts list'],
  words: { least: 0, most: 0 },
  run: ({ options, ...surroundings }) =>
    withStore(surroundings, async (parts) => {
      const accounts = await listAccounts(parts);
      if (accounts.length === 0) surroundings.terminal.tell('no accounts yet');
      return await say(accounts.map(saidOf), options, surroundings);
    }),
});

const plan = defineCommand({
  name: 'accounts plan',
  takes: 'ACCOUNT paid|none',
  summary: 'switch the plan of an account on or off',
  options: { json },
  examples: ['mailproof accounts plan acct_0123456789abcdef none'],
  words: { least: 2, most: 2 },
  async run({ options, positionals: [accountId = '', text = ''], ...surroundings }) {
    const wanted = readPlan(text);
    if (wanted === undefined) return refuse('a plan may be paid or none', surroundings);
    return await withStore(surroundings, async (parts) => {
      const answer = await setPlan({ accountId, plan: wanted }, parts);
      if (answer.kind === 'account_not_found') return noAccount(accountId, surroundings);
      return await say([saidOf(answer)], options, surroundings);
    });
  },
});

export const accountsCommand: CommandGroup = {
  kind: 'group',
  name: 'accounts',
  summary: 'make and list accounts, set their plan',
  actions: { create, list, plan },
};

function readPlan(text: string): Plan | undefined {
  return text === 'paid' || text === 'none' ? text : undefined;
}

function saidOf({ accountId, name, plan: itsPlan }: Account): Said {
  return {
    row: { account_id: accountId, name, plan: itsPlan },
    words: `${accountId}  plan ${itsPlan}  ${name}`,
  };
}
