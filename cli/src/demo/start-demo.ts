import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { createClient } from '@mailproof/client';
import { createAccount, createAccountWithKeys, openStore } from '@mailproof/service';
import { readConfig } from '@mailproof/service/config';
import { startService } from '@mailproof/service/main';
import {
  standardLists,
  standardWorld,
  startWorld,
  type HostDescription,
  type WorldDescription,
} from '@mailproof/world';
import { addressOf, companies, sampleList, slowCompany, type Company } from './companies.ts';

/**
 * The demonstration: a world, the service and its console beside it in a folder of their own, accounts with keys,
 * and a list to try. It reads no setting of the machine: the only resolver it knows is the world's, and the only
 * addresses it may dial are loopback.
 */

export type Demo = {
  url: string;
  liveKey: string;
  testKey: string;
  /** For the form of `/docs/form`. */
  formKey: string;
  adminToken: string;
  credits: number;
  sampleListFile: string;
  /** Ends the service, then the world, and removes the folder. */
  stop(): Promise<void>;
  /** Removes the folder at once, for who cannot wait. */
  abandon(): void;
};

type DemoOptions = {
  /** 0 takes any that is free. */
  port: number;
  /** Beside those that the demonstration needs. */
  settings?: Record<string, string>;
};

const credits = 10_000;

export async function startDemo({ port, settings = {} }: DemoOptions): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-demo-'));
  const abandon = () => rmSync(folder, { recursive: true, force: true });
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0)) await end();
    abandon();
  };
  try {
    const world = await startWorld(demoWorld());
    ends.unshift(() => world.stop());
    const adminToken = randomBytes(24).toString('base64url');
    const dataDir = join(folder, 'data');
    const keys = await openAccounts(dataDir);
    const given = { MAILPROOF_PORT: `${port}`, MAILPROOF_ADMIN_TOKEN: adminToken, ...settings };
    const config = configOf({ ...world.environment, ...quickly, ...writeLists(folder), ...given }, dataDir);
    const service = await startService(config, { print: () => undefined });
    ends.unshift(() => service.stop());
    const sampleListFile = join(folder, 'contacts.csv');
    writeFileSync(sampleListFile, sampleList());
    const { url } = service;
    const formKey = await createFormKey(url, keys.liveKey);
    return { url, ...keys, formKey, adminToken, credits, sampleListFile, stop, abandon };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Its pages are those of the demonstration, whose address is known only now. */
async function createFormKey(url: string, liveKey: string): Promise<string> {
  const client = createClient({ baseUrl: url, apiKey: liveKey });
  const { form_key: formKey } = await client.formKeys.create({
    name: 'Demonstration',
    origins: [new URL(url).origin],
  });
  return formKey;
}

/** A host that puts a list off is asked again after a second, so that even four visits are over soon. */
const quickly = { MAILPROOF_DEFER_RETRY_MS: '1000', MAILPROOF_LOG_LEVEL: 'warn' };

function configOf(environment: Record<string, string>, dataDir: string) {
  const read = readConfig({ ...environment, MAILPROOF_DATA_DIR: dataDir });
  if (read.kind === 'bad') throw new Error(read.problem);
  return read.config;
}

function writeLists(folder: string): Record<string, string> {
  const { spamTraps, disposableDomains } = operatorLists();
  const files = {
    MAILPROOF_SPAMTRAPS_FILE: join(folder, 'spam-traps.txt'),
    MAILPROOF_DISPOSABLE_FILE: join(folder, 'disposable-domains.txt'),
  };
  writeFileSync(files.MAILPROOF_SPAMTRAPS_FILE, spamTraps);
  writeFileSync(files.MAILPROOF_DISPOSABLE_FILE, disposableDomains);
  return files;
}

/** The account to sign in with, and two more, so that the operator has something to look after. */
async function openAccounts(dataDir: string): Promise<{ liveKey: string; testKey: string }> {
  const store = await openStore({ dataDir, check: false });
  const parts = { store, wallClock: Date, actor: 'command_line' as const };
  try {
    const { liveKey, testKey } = await createAccountWithKeys(
      { name: 'Demonstration', plan: 'paid', credits },
      parts,
    );
    await createAccount({ name: 'Harbour Books', plan: 'paid', credits: 250 }, parts);
    await createAccount({ name: 'Former customer', plan: 'none', credits: 0 }, parts);
    return { liveKey: liveKey.apiKey, testKey: testKey.apiKey };
  } finally {
    await store.close();
  }
}

/** The mail internet of the demonstration: its companies, beside the standard world that the tests know. */

function demoWorld(): WorldDescription {
  const world = standardWorld();
  for (const company of [...companies, slowCompany]) {
    const domain = domainToASCII(company.domain);
    const hostName = company.host?.name ?? `mx.${domain}`;
    if (company.zone !== 'none') world.zones[domain] = company.zone ?? { mx: [[10, hostName]] };
    if (company.host !== undefined) world.hosts[hostName] = hostOf(company, company.host);
  }
  return world;
}

/** The operator's lists of the demonstration, one entry per line. */
function operatorLists(): { spamTraps: string; disposableDomains: string } {
  const traps = companies.flatMap((company) =>
    company.people.filter(({ status }) => status === 'spamtrap').map((person) => addressOf(person, company)),
  );
  const domains = companies.filter(({ disposable }) => disposable === true).map(({ domain }) => domain);
  return {
    spamTraps: `${[...traps, ...standardLists.spamTraps].join('\n')}\n`,
    disposableDomains: `${[...domains, ...standardLists.disposableDomains].join('\n')}\n`,
  };
}

function hostOf({ people }: Company, { temper }: NonNullable<Company['host']>): HostDescription {
  const known = people.flatMap(({ who, mailbox }) =>
    mailbox === undefined ? [] : [[who, mailbox] as const],
  );
  return { temper, mailboxes: Object.fromEntries(known) };
}
