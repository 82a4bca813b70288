import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Settings by their names. */
type FileSettings = Readonly<Record<string, string>>;

const settingLine = /^\s*(?<name>MAILPROOF_\w+)\s*=/;

/** Nothing for a file that does not exist yet. */
export function readSettingsText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** As the service reads them: the last sign of a pair of quotes is not part of the value. */
export function settingsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => settingLine.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? [];
      return [name, value.trim().replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/, '$<inner>')];
    }),
  );
}

/**
 * The text with the settings in place of the lines that set them, the rest of it as it is, comments too. `asked` are all
 * names that were asked for: one without a value is not set any more.
 */
export function withSettings(text: string, asked: readonly string[], settings: FileSettings): string {
  const kept = text
    .split('\n')
    .filter((line) => !asked.includes(settingLine.exec(line)?.groups?.['name'] ?? ''))
    .join('\n')
    .replace(/\n+$/, '');
  const lines = asked.flatMap((name) => (settings[name] === undefined ? [] : [`${name}=${settings[name]}`]));
  return `${[...(kept === '' ? [heading] : [kept]), ...lines].join('\n')}\n`;
}

const heading = '# Settings of Mailproof; `mailproof config` lists all of them.';

/** Readable for its owner alone from the beginning, since it may hold secrets; in place as a whole or not at all. */
export function writeSettingsFile(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
