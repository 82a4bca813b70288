import { nearestName } from '@mailproof/engine/nearest-name';
import type { Environment, Setting } from './setting.ts';

/** What the environment says of one setting. */
export function readSetting<Value>(
  setting: Setting<Value>,
  env: Environment,
): { kind: 'read'; value: Value } | { kind: 'bad'; problem: string } {
  const given = givenText(setting, env);
  if (given === undefined) return { kind: 'read', value: setting.defaultValue(env) };
  const value = setting.parse(given.text);
  if (value !== undefined) return { kind: 'read', value };
  const shown =
    setting.mask === undefined ? `is ${JSON.stringify(given.text.slice(0, 80))}` : 'cannot be read';
  return { kind: 'bad', problem: `${given.name} ${shown}; it may be ${setting.mayBe}` };
}

/** Text values in the form in which they are used (paths absolute, names canonical), others as they were written. */
export function valueInForce(setting: Setting<unknown>, env: Environment): string | null {
  const given = givenText(setting, env);
  const value = given === undefined ? setting.defaultValue(env) : setting.parse(given.text);
  const text = typeof value === 'string' ? value : (given?.text ?? setting.defaultText);
  return text === null || setting.mask === undefined ? text : setting.mask(text);
}

function givenText(setting: Setting<unknown>, env: Environment): { name: string; text: string } | undefined {
  for (const name of setting.names) {
    const text = textOf(env, name);
    if (text !== undefined) return { name, text };
  }
  return undefined;
}

/** An empty variable counts as not set: that is how composed environments leave one out. */
export function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** Read by `mailproof check`, which talks to a service and is none. */
const clientVariables = ['URL', 'API_KEY'];

const prefix = 'MAILPROOF_';

/** An unknown variable with our prefix is most likely a typing mistake, which would otherwise go unnoticed. */
export function warnOfUnknown(env: Environment, knownNames: string[]): string[] {
  const known = withoutPrefix(knownNames);
  const unknown = withoutPrefix(Object.keys(env)).filter(
    (name) => !known.includes(name) && !clientVariables.includes(name),
  );
  return unknown.sort().map((name) => {
    const meant = nearestName(name, known);
    const hint = meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
    return `${prefix}${name} is not a setting and does nothing${hint}`;
  });
}

function withoutPrefix(names: string[]): string[] {
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
