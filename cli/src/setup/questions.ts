import { randomBytes } from 'node:crypto';
import { describeIpProfile, forbiddingProviders } from '@mailproof/engine';
import { StoreOpenError } from '@mailproof/service';
import { lookAtStore, type DoctorParts, type Finding } from '../doctor/doctor-parts.ts';
import { checkEgress, checkHeloName } from '../doctor/check-egress.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { checkMailPort } from '../doctor/check-mail-port.ts';
import { checkResolvers } from '../doctor/check-resolvers.ts';
import { checkSenderDomain } from '../doctor/check-sender.ts';

/** A setting that setup asks for, and what the doctor says of the answer. */
export type Question = {
  setting: string;
  /** For a person, ending without a question mark: the value in force follows. */
  text: string;
  /** The answer for not setting it at all. */
  without?: string;
  /** Turns an answer into the value, if they differ. */
  meaning?: (answer: string) => string;
  check: (parts: DoctorParts) => Promise<Finding[]>;
};

/** In the order in which each can be checked by what was answered before: every name needs the resolver. */
export const questions: readonly Question[] = [
  {
    setting: 'MAILPROOF_DNS_SERVERS',
    text: 'Recursive resolver: IP addresses, comma-separated, or "system" for those of this machine',
    without: 'system',
    check: checkResolvers,
  },
  {
    setting: 'MAILPROOF_HELO_NAME',
    text: 'Name of this machine for mail servers (HELO), as its reverse DNS has it',
    check: async (parts) => [await checkHeloName(parts)],
  },
  {
    setting: 'MAILPROOF_MAIL_FROM',
    text: 'Sender address: a mailbox of yours that somebody reads',
    check: async (parts) => [
      await checkSenderDomain(parts),
      // The name was examined with its own question.
      ...(await checkEgress(parts)).filter(({ check }) => check.startsWith('SPF')),
      await checkMailPort(parts),
    ],
  },
  {
    setting: 'MAILPROOF_DATA_DIR',
    text: 'Directory for the data',
    check: (parts) => Promise.resolve(checkMachine(parts).filter(({ check }) => check === 'data directory')),
  },
  {
    setting: 'MAILPROOF_DATABASE_URL',
    text: 'PostgreSQL database (postgres://…), or "sqlite" for a file in the data directory',
    without: 'sqlite',
    check: async ({ config }) => [await checkDatabase(config)],
  },
  {
    setting: 'MAILPROOF_ADMIN_TOKEN',
    text: 'Token for the operator\'s pages: one of your own, "new" for a random one, or "none" for no such pages',
    without: 'none',
    meaning: (answer) => (answer === 'new' ? randomBytes(32).toString('hex') : answer),
    check: () => Promise.resolve([]),
  },
  {
    setting: 'MAILPROOF_ASK_PROVIDERS',
    text:
      `Providers whose policy forbids verification without sending (${forbiddingProviders.join(', ')}; see docs/providers.md): ` +
      '"all" asks them too, "permitted" does not. Or name providers to leave out, such as -outlook,-microsoft',
    without: 'all',
    check: ({ config }) => Promise.resolve([tellLeftOut(config)]),
  },
  {
    setting: 'MAILPROOF_IP_PROFILE',
    text:
      'Is the IP address that mail servers will see new to them? "yes" begins slowly (warm-up), "no" if it has asked ' +
      'or sent mail for weeks, "private" if it reaches closed networks alone',
    without: 'established',
    meaning: (answer) => profileNamed(answer.toLowerCase()),
    check: ({ config }) => Promise.resolve([tellProfile(config)]),
  },
];

function profileNamed(answer: string): string {
  if (answer === 'yes' || answer === 'y') return 'new';
  return answer === 'no' || answer === 'n' ? 'established' : answer;
}

function tellProfile({ ipProfile }: DoctorParts['config']): Finding {
  return { check: 'IP profile', state: 'ok', seen: describeIpProfile(ipProfile) };
}

function tellLeftOut({ providersLeftOut }: DoctorParts['config']): Finding {
  const check = 'providers';
  if (providersLeftOut.length > 0)
    return {
      check,
      state: 'ok',
      seen: `${providersLeftOut.join(', ')}: not asked, addresses there are unknown`,
    };
  const seen = `all are asked, ${forbiddingProviders.join(', ')} too`;
  return { check, state: 'warning', seen, remedy: 'Ask from IP addresses that never send mail.' };
}

/** Only looks: the first start makes the tables. */
async function checkDatabase(config: DoctorParts['config']): Promise<Finding> {
  const check = 'database';
  if (config.databaseUrl === undefined) return { check, state: 'ok', seen: 'SQLite in the data directory' };
  try {
    const found = await lookAtStore(config, () => Promise.resolve('reached'));
    return { check, state: 'ok', seen: `PostgreSQL can be ${found ?? 'reached'}` };
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    const remedy = 'Start the database, correct the URL, or allow this machine and user to connect.';
    return { check, state: 'problem', seen: error.line, remedy };
  }
}
