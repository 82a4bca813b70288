import { counted } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import type { Theme } from '../app/create-theme.ts';
import type { Route } from '../app/route.ts';
import { useConsole } from '../app/use-console.ts';
import { pathTo } from '../app/base-path.ts';
import { useSignOut } from '../sign-in/use-sign-out.ts';

type Place = { path: string; label: string; icon: IconName; holds: readonly Route['kind'][] };

const accountPlaces: readonly Place[] = [
  { path: '/check', label: 'Check', icon: 'check', holds: ['check'] },
  { path: '/lists', label: 'Lists', icon: 'lists', holds: ['lists', 'list'] },
  { path: '/tasks', label: 'Tasks', icon: 'tasks', holds: ['tasks', 'task'] },
  { path: '/account', label: 'Account', icon: 'account', holds: ['account', 'webhooks', 'webhook'] },
];

const operatorPlaces: readonly Place[] = [
  { path: '/operator', label: 'Health', icon: 'tasks', holds: ['operator'] },
  {
    path: '/operator/accounts',
    label: 'Accounts',
    icon: 'account',
    holds: ['operator_accounts', 'operator_account'],
  },
  { path: '/operator/audit-log', label: 'Audit log', icon: 'lists', holds: ['operator_audit'] },
];

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
      {isIn ? <Navigation places={state.kind === 'account' ? accountPlaces : operatorPlaces} /> : null}
      {/* Drawn once it is known who looks: what stood here before would be moved aside. */}
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

function Navigation({ places }: { places: readonly Place[] }) {
  const { router } = useConsole();
  const { kind } = router.route.value;
  return (
    <nav class="places" aria-label="Pages">
      {places.map(({ path, label, icon, holds }) => (
        <a key={path} href={pathTo(path)} aria-current={holds.includes(kind) ? 'page' : undefined}>
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

/** Lists and tasks go on in the service and are there again at the next sign-in, so nothing is asked. */
function SignOutButton() {
  const signOut = useSignOut();
  return (
    <button type="button" class="button button-quiet" onClick={signOut}>
      Sign out
    </button>
  );
}
