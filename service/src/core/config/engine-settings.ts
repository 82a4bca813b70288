import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPolicyFile, type EngineSettings, type PolicyFile } from '@mailproof/engine';
import type { Config } from './config.ts';
import { StartError } from './start-error.ts';

/** What the configuration says to the engine. The operator's policy file is read here, and a bad one stops the start. */
export function engineSettings(config: Config, onProblem: (message: string) => void): EngineSettings {
  const { dnsServers, resolverProbes, smtpPort, heloName, mailFrom, egressAllow, starttls, pacing } = config;
  return {
    dnsServers,
    resolverProbes,
    smtpPort,
    heloName,
    mailFrom,
    publicAddresses: config.publicAddresses,
    identityCheck: config.identityCheck,
    egressAllow,
    starttls,
    pacing,
    blockLists: config.blockLists,
    ipProfile: config.ipProfile,
    reuseMs: config.reuseMs,
    providersLeftOut: config.providersLeftOut,
    policyFile: config.providersFile === undefined ? undefined : openPolicyFile(config.providersFile),
    listFiles: {
      spamtraps: config.spamtrapsFile,
      disposable: config.disposableFile,
      allow: config.allowFile,
      deny: config.denyFile,
      optOut: config.optOutFile,
    },
    renewedListsIn: renewedListsIn(config),
    onProblem,
  };
}

/** Where `mailproof domain-lists update` puts the lists that it renews. */
export function renewedListsIn({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'domain-lists');
}

function openPolicyFile(path: string): PolicyFile {
  const read = readPolicyFile(readText(path));
  if (read.kind === 'ok') return read.file;
  throw new StartError(`MAILPROOF_PROVIDERS_FILE (${path}): ${read.line}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`MAILPROOF_PROVIDERS_FILE cannot be read: ${why}`, error);
  }
}
