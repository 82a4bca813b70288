import { signal, type ReadonlySignal } from '@preact/signals';

/** As the system has it, or as the person has chosen for this browser. */
export type Theme = 'system' | 'light' | 'dark';

export type ThemeStore = { theme: ReadonlySignal<Theme>; choose(theme: Theme): void };

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
        // A browser that keeps nothing forgets the choice with the page.
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
