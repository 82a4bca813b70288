import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api, Connection } from '../api/create-api.ts';
import type { Router } from './create-router.ts';
import type { SessionStore } from './create-session.ts';
import type { Features } from './features.ts';

/** The parts of the page that outlive any one view. `main.tsx` makes them. */
export type ConsoleParts = {
  api: Api;
  connection: Connection;
  session: SessionStore;
  router: Router;
  theme: ThemeStore;
  announcer: Announcer;
  features: Features;
};

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new Error('useConsole was called outside of ConsoleContext');
  return parts;
}

/** Tells screen readers about changes: one polite live region for the whole page. */
type Announcer = { said: ReadonlySignal<string>; say(text: string): void };

export function createAnnouncer(): Announcer {
  const said = signal('');
  return {
    said,
    say(text) {
      // A repeated text would be no change, so an invisible space makes it one.
      said.value = said.value === text ? `${text}\u00a0` : text;
    },
  };
}

/** The system's theme, or the person's choice for this browser. */
export type Theme = 'system' | 'light' | 'dark';

type ThemeStore = { theme: ReadonlySignal<Theme>; choose(theme: Theme): void };

const storageKey = 'mailproof-theme';

/** Sets `data-theme` on the page; the style sheet does the rest. */
export function createTheme(window: Window): ThemeStore {
  const theme = signal(remembered(window));
  const show = () => {
    window.document.documentElement.dataset['theme'] = theme.value;
  };
  show();
  return {
    theme,
    choose(chosen) {
      theme.value = chosen;
      show();
      try {
        window.localStorage.setItem(storageKey, chosen);
      } catch {
        // Without storage the choice lasts as long as the page.
      }
    },
  };
}

function remembered({ localStorage }: Window): Theme {
  try {
    const kept = localStorage.getItem(storageKey);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
