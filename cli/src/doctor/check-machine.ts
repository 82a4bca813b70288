import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { counted } from '../present/text.ts';
import type { DoctorParts, Finding } from './doctor-parts.ts';

/** Checks of this machine that need no network. */
export function checkMachine({ config }: DoctorParts): Finding[] {
  return [checkNode(process.versions.node), checkWallClock(Date.now()), checkDataDir(config)];
}

const leastNode = 24;

export function checkNode(version: string): Finding {
  const check = 'Node';
  if (Number(version.split('.')[0]) >= leastNode) return { check, state: 'ok', seen: version };
  return {
    check,
    state: 'problem',
    seen: `running on Node ${version}, but Mailproof needs Node ${leastNode}`,
    remedy: 'Start it with ./mailproof or npm start, which use the right version.',
  };
}

const dayMs = 86_400_000;
const latestPlausible = Date.UTC(2100, 0);

/** A clock that stands before the day this file was written cannot be right. No other clock is asked. */
export function checkWallClock(now: number): Finding {
  const check = 'clock';
  const seen = new Date(now).toISOString();
  const earliest = statSync(new URL(import.meta.url)).mtimeMs - dayMs;
  if (now >= earliest && now < latestPlausible) return { check, state: 'ok', seen };
  return {
    check,
    state: 'problem',
    seen: `${seen} cannot be right`,
    remedy: 'Set the clock, for example with timedatectl set-ntp true.',
  };
}

/** Less than one transaction may need. */
const leastFreeBytes = 1_048_576;

/** The directory is writable, or can be created. Only the service needs it. */
function checkDataDir({ dataDir, databaseUrl }: DoctorParts['config']): Finding {
  const check = 'data directory';
  if (databaseUrl !== undefined) return { check, state: 'ok', seen: 'not used: the database is PostgreSQL' };
  let place = dataDir;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const remedy =
    'Make it writable for the user that runs Mailproof, or set MAILPROOF_DATA_DIR to another directory.';
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    return { check, state: 'problem', seen: `${place} is not writable`, remedy };
  }
  if (!statSync(place).isDirectory())
    return { check, state: 'problem', seen: `${place} is not a directory`, remedy };
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < leastFreeBytes)
    return {
      check,
      state: 'problem',
      seen: `the disk of ${place} is full`,
      remedy: 'Make room. While the disk is full, requests get 503; the service recovers by itself.',
    };
  return { check, state: 'ok', seen: place === dataDir ? dataDir : `${dataDir} will be created` };
}

/** Settings that are right in a test or a private network and wrong elsewhere. */
export function checkSettings({ config }: DoctorParts): Finding[] {
  const findings: Finding[] = [];
  const blocks = config.egressAllow.length;
  findings.push(
    blocks === 0
      ? { check: 'egress', state: 'ok', seen: 'only public IP addresses are contacted' }
      : {
          check: 'egress',
          state: 'warning',
          seen: `MAILPROOF_EGRESS_ALLOW opens ${counted(blocks, 'block')} outside public address space`,
          remedy:
            'Anyone who can have an address verified can make this machine connect there. Unset it outside tests and private networks.',
        },
  );
  if (config.pacing === 'off') {
    findings.push({
      check: 'pacing',
      state: 'warning',
      seen: 'MAILPROOF_PACING=off removes the limits per destination',
      remedy: 'Unset it outside tests and private networks. Otherwise mail servers will block this machine.',
    });
  }
  if (config.smtpPort !== 25) {
    findings.push({
      check: 'mail port',
      state: 'warning',
      seen: `mail servers are contacted on port ${config.smtpPort}`,
      remedy: 'Unset MAILPROOF_SMTP_PORT outside tests. Mail servers listen on port 25.',
    });
  }
  return findings;
}
