import { signal, type ReadonlySignal } from '@preact/signals';

/** Says to a screen reader what eyes see happen: one polite live region for the whole page. */
export type Announcer = { said: ReadonlySignal<string>; say(text: string): void };

export function createAnnouncer(): Announcer {
  const said = signal('');
  return {
    said,
    say(text) {
      // The same words twice would not be a change; a space that cannot be seen makes them one.
      said.value = said.value === text ? `${text}\u00a0` : text;
    },
  };
}
