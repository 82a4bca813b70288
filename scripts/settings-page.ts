import { configMeaning, secretNames, settingTexts } from '@mailproof/service/config';
import { markdownTable } from './markdown-table.ts';

/** docs/settings.md, made from the table that the start reads so that the two cannot differ. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Settings are environment variables. `./mailproof config` shows the current values. An invalid setting stops the start',
    'with one line that names it and says what it can be. An empty setting counts as not set. This page is written from',
    '`service/src/core/config/config.ts` by `npm run docs`.',
    '',
    'They can also stand in a file that `MAILPROOF_CONFIG` names: one `NAME=value` per line, with `#` before comments, and',
    'quotes around the value if you like. The environment wins over the file. A secret can come in a file of its own, which',
    'the variable with `_FILE` after its name leads to, here or there:',
    ...secretFiles(),
    '',
    ...markdownTable([
      ['setting', 'default', 'meaning', 'may be'],
      ['`MAILPROOF_CONFIG`', 'none', configMeaning, 'the path of a file that can be read'],
      ...settingTexts().map(({ names, defaultText, meaning, mayBe }) => [
        `\`${names[0]}\``,
        defaultText ?? 'none',
        meaning,
        mayBe,
      ]),
    ]),
    '',
    'Relative paths are relative to the current directory. So is the default data directory of an',
    'installed package; that of a clone is `data` in its root, wherever you call it from.',
    '',
    'In Kubernetes, a service called `mailproof` sets the variable `MAILPROOF_PORT=tcp://…` in every pod. Set',
    '`enableServiceLinks: false`, or give the service another name.',
    '',
  ].join('\n');
}

/** Three a line, so that no line is too long. */
function secretFiles(): string[] {
  const names = secretNames().map((name) => `\`${name}_FILE\``);
  const lines = names.flatMap((_name, at) => (at % 3 === 0 ? [names.slice(at, at + 3).join(', ')] : []));
  return [`${lines.join(',\n')}.`];
}
