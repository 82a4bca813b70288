import { grantCredits, mostCredits, showCredits, type Balance } from '@mailproof/service';
import { defineCommand, type CommandGroup } from '../command.ts';
import { noAccount, refuse, printRows, type PrintedRow } from '../store/print-rows.ts';
import { readAmount } from '../store/read-amount.ts';
import { withStore } from '../store/with-store.ts';

const json = { type: 'flag', meaning: 'print {account_id, granted, available, reserved, spent}' } as const;

const grant = defineCommand({
  name: 'credits grant',
  takes: 'ACCOUNT N',
  summary: 'grant credits to an account',
  options: { json },
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
  options: { json },
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
