import { completeEnvironment, configVariable, fileVariable } from '../core/config/complete-environment.ts';
import { coreSettings, type Config, type SettingTable } from '../core/config/config.ts';
import { findFeatureProblem } from '../core/config/feature-names.ts';
import { readSetting, textOf, valueInForce, warnOfUnknown } from '../core/config/read-setting.ts';
import type { Environment, Setting } from '../core/config/setting.ts';
import { listSettings } from '../features/lists/list-settings.ts';
import { metricsSettings } from '../features/metrics/metrics-settings.ts';
import { findSignInProblem, signInSettings } from '../features/people/sign-in-settings.ts';
import { webhookSettings } from '../features/webhooks/webhook-settings.ts';

export type { Config };

/**
 * All settings. The start, `mailproof config` and the documentation are made from this table, and nothing else reads the
 * environment.
 */
const settings: SettingTable<Config> = {
  ...coreSettings,
  ...listSettings,
  ...webhookSettings,
  ...signInSettings,
  ...metricsSettings,
};

export type ReadConfig =
  /** `warnings` are for the operator: something is odd, but not wrong enough to stop the start. */
  { kind: 'ok'; config: Config; warnings: string[] } | { kind: 'bad'; problem: string };

export function readConfig(given: Environment): ReadConfig {
  const complete = completeEnvironment(given, secretNames());
  if (complete.kind === 'bad') return complete;
  const { env } = complete;
  const values: Record<string, unknown> = {};
  for (const [key, setting] of settingEntries()) {
    const read = readSetting(setting, env);
    if (read.kind === 'bad') return read;
    values[key] = read.value;
  }
  // Every key of the table, which has every key of Config, was given a value of its own type just now.
  const config = values as unknown as Config;
  const problem = findSignInProblem(config) ?? findFeatureProblem(config.features);
  if (problem !== undefined) return { kind: 'bad', problem };
  return { kind: 'ok', config, warnings: warnOfUnknown(env, knownNames()) };
}

/** One row of `mailproof config`; `null` stands for none. */
export type DescribedSetting = Record<'name' | 'meaning', string> &
  Record<'value' | 'default', string | null>;

/** Every setting with the value in force, passwords and tokens masked. The environment must have been read before. */
export function describeConfig(given: Environment): DescribedSetting[] {
  const complete = completeEnvironment(given, secretNames());
  const env = complete.kind === 'ok' ? complete.env : given;
  const file = { name: configVariable, value: textOf(given, configVariable) ?? null, default: null };
  return [{ ...file, meaning: configMeaning }, ...describeAll(env)];
}

function describeAll(env: Environment): DescribedSetting[] {
  return settingEntries().map(([, setting]) => ({
    name: setting.names[0],
    value: valueInForce(setting, env),
    default: setting.defaultText,
    meaning: setting.meaning,
  }));
}

export const configMeaning = 'a file of settings, one NAME=value a line; the environment wins';

/** Returns the names of masked settings, each of which may come from a file, as NAME_FILE. */
export function secretNames(): string[] {
  return settingEntries().flatMap(([, setting]) => (setting.mask === undefined ? [] : [setting.names[0]]));
}

/** The table in words, for the documentation. */
export function settingTexts(): Pick<Setting<unknown>, 'names' | 'meaning' | 'mayBe' | 'defaultText'>[] {
  return settingEntries().map(([, { names, meaning, mayBe, defaultText }]) => ({
    names,
    meaning,
    mayBe,
    defaultText,
  }));
}

function settingEntries(): [string, Setting<unknown>][] {
  return Object.entries(settings);
}

function knownNames(): string[] {
  const names = settingEntries().flatMap(([, setting]) => [...setting.names]);
  return [configVariable, ...names, ...secretNames().map(fileVariable)];
}
