import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from './setting.ts';

/**
 * The settings of a process from all the places they may stand in: the environment, which wins, the file that
 * `MAILPROOF_CONFIG` names, and for a secret a file of its own (`…_FILE`), which is how containers and service managers
 * hand out secrets: the environment of a process is inherited and shown where a file is not.
 */
type CompleteEnvironment = { kind: 'ok'; env: Environment } | { kind: 'bad'; problem: string };

export const configVariable = 'MAILPROOF_CONFIG';

/** The variable that names the file of a secret. */
export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/** `secrets` are the names of the settings that may come as files. */
export function completeEnvironment(env: Environment, secrets: readonly string[]): CompleteEnvironment {
  const fromFile = readSettingsFile(env);
  if (fromFile.kind === 'bad') return fromFile;
  return readSecrets({ ...withoutOverruled(fromFile.env, env, secrets), ...withoutEmpty(env) }, secrets);
}

/** However the environment gives a secret, it overrules both ways in which the file may. */
function withoutOverruled(fromFile: Environment, env: Environment, secrets: readonly string[]): Environment {
  const isGiven = (name: string) => (env[name] ?? '').trim() !== '';
  const overruled = secrets
    .flatMap((name) => [[name, fileVariable(name)] as const])
    .filter((names) => names.some(isGiven))
    .flat();
  return Object.fromEntries(Object.entries(fromFile).filter(([name]) => !overruled.includes(name)));
}

/** An empty variable counts as not set, and so does not hide what the file says. */
function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, text]) => text?.trim() !== ''));
}

function readSettingsFile(env: Environment): CompleteEnvironment {
  const named = env[configVariable]?.trim() ?? '';
  if (named === '') return { kind: 'ok', env: {} };
  const read = readText(named);
  if (read === undefined) {
    const problem = `${configVariable} is ${JSON.stringify(named)}; it may be the path of a file that can be read`;
    return { kind: 'bad', problem };
  }
  const settings: Environment = {};
  for (const [index, line] of read.split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [, name = '', value = ''] = /^(MAILPROOF_\w+)\s*=(.*)$/.exec(text) ?? [];
    const fault = name === '' ? 'is no MAILPROOF_NAME=value' : faultOf(name, settings);
    if (fault !== undefined) return { kind: 'bad', problem: `${named}, line ${index + 1}, ${fault}` };
    settings[name] = unquoted(value.trim());
  }
  return { kind: 'ok', env: settings };
}

function faultOf(name: string, settings: Environment): string | undefined {
  if (name === configVariable) return `sets ${configVariable}, which stands in the environment alone`;
  return settings[name] === undefined ? undefined : `sets ${name} once more`;
}

function unquoted(value: string): string {
  return /^(?<quote>["'])(?<text>.*)\k<quote>$/.exec(value)?.groups?.['text'] ?? value;
}

function readSecrets(env: Environment, secrets: readonly string[]): CompleteEnvironment {
  const complete = { ...env };
  for (const name of secrets) {
    const variable = fileVariable(name);
    const path = env[variable]?.trim() ?? '';
    if (path === '') continue;
    if ((env[name] ?? '').trim() !== '')
      return { kind: 'bad', problem: `${name} and ${variable} are both set; it may be one of them` };
    const text = readText(path)?.trim() ?? '';
    if (text === '') {
      const problem = `${variable} is ${JSON.stringify(path)}; it may be the path of a file that holds the value`;
      return { kind: 'bad', problem };
    }
    complete[name] = text;
  }
  return { kind: 'ok', env: complete };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch {
    return undefined;
  }
}
