import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DoctorParts, Finding } from './check.ts';

/** What this machine brings along, looked at without the network. */
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
    seen: `${version} runs this; Mailproof needs ${leastNode}`,
    remedy: 'Start it by ./mailproof or npm start, which bring the right one along.',
  };
}

const dayMs = 86_400_000;
const latestPlausible = Date.UTC(2100, 0);

/** A clock that stands before the day this file was written cannot be right. No one else's clock is asked. */
export function checkWallClock(now: number): Finding {
  const check = 'clock';
  const seen = new Date(now).toISOString();
  const earliest = statSync(new URL(import.meta.url)).mtimeMs - dayMs;
  if (now >= earliest && now < latestPlausible) return { check, state: 'ok', seen };
  return {
    check,
    state: 'problem',
    seen: `${seen} cannot be the time`,
    remedy: 'Set the clock (timedatectl set-ntp true).',
  };
}

/** The directory can be written to, or can be made. Only the service needs it. */
function checkDataDir({ dataDir, databaseUrl }: DoctorParts['config']): Finding {
  const check = 'data directory';
  if (databaseUrl !== undefined) return { check, state: 'ok', seen: 'not used: the database is PostgreSQL' };
  let place = dataDir;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const remedy = 'Make it writable for the user Mailproof runs as, or set MAILPROOF_DATA_DIR.';
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    return { check, state: 'problem', seen: `${place} cannot be written to`, remedy };
  }
  if (!statSync(place).isDirectory())
    return { check, state: 'problem', seen: `${place} is not a directory`, remedy };
  return { check, state: 'ok', seen: place === dataDir ? dataDir : `${dataDir} will be made` };
}
