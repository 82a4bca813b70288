import { pathTo } from '../app/base-path.ts';
import { findPage, navigationOf } from '../app/pages.ts';
import { type Theme, useConsole } from '../app/use-console.ts';
import { useSignOut } from '../core/sign-in/sign-in-page.tsx';
import { Icon, type IconName } from '../parts/elements.tsx';
import { counted } from '../parts/format.ts';

export function Header() {
  const { session } = useConsole();
  const state = session.state.value;
  const isIn = state.kind === 'account' || state.kind === 'operator';
  return (
    <header class="bar">
      <a class="brand" href={pathTo('/')} aria-label="Mailproof, home page">
        <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
          <path d="M4 9.5l12 9 12-9M10.5 22.5l4 3.5 8-9" />
        </svg>
        <span class="brand-name">Mailproof</span>
      </a>
      {isIn ? <Navigation session={state.kind} /> : null}
      {/* Drawn once the session is known, so that nothing moves when the links appear. */}
      {state.kind === 'looking' ? null : <BarEnd />}
    </header>
  );
}

function BarEnd() {
  const { session } = useConsole();
  const state = session.state.value;
  return (
    <div class="bar-end">
      {state.kind === 'account' ? (
        <a class="balance" href={pathTo('/account')}>
          {state.account.key?.mode === 'test'
            ? 'Test key'
            : counted(state.account.credits.available, 'credit')}
        </a>
      ) : null}
      <a class="docs-link" href={pathTo('/docs')}>
        API docs
      </a>
      <ThemeButton />
      {state.kind === 'account' || state.kind === 'operator' ? <SignOutButton /> : null}
    </div>
  );
}

function Navigation({ session }: { session: 'account' | 'operator' }) {
  const { router, features } = useConsole();
  const current = findPage(router.route.value.kind);
  return (
    <nav class="places" aria-label="Pages">
      {navigationOf(session, features).map(({ kind, path, label, icon }) => (
        <a
          key={path}
          href={pathTo(path)}
          aria-current={kind === current?.kind || kind === current?.under ? 'page' : undefined}
        >
          <Icon name={icon} />
          {label}
        </a>
      ))}
    </nav>
  );
}

const themes: Record<Theme, { next: Theme; icon: IconName; label: string }> = {
  system: { next: 'light', icon: 'system', label: 'system' },
  light: { next: 'dark', icon: 'sun', label: 'light' },
  dark: { next: 'system', icon: 'moon', label: 'dark' },
};

function ThemeButton() {
  const { theme, announcer } = useConsole();
  const { next, icon, label } = themes[theme.theme.value];
  const change = () => {
    theme.choose(next);
    announcer.say(`Colours: ${themes[next].label}`);
  };
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      aria-label={`Colours: ${label}. Change to ${themes[next].label}`}
      title={`Colours: ${label}`}
      onClick={change}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Signs out without a question: lists and tasks continue in the service. */
function SignOutButton() {
  const signOut = useSignOut();
  return (
    <button type="button" class="button button-quiet" onClick={signOut}>
      Sign out
    </button>
  );
}
