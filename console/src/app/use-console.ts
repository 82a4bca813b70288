import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Connection } from '../api/connection.ts';
import type { Api } from '../api/create-api.ts';
import type { Upload } from './create-upload.ts';
import type { Announcer } from './announcer.ts';
import type { Router } from './create-router.ts';
import type { SessionStore } from './create-session.ts';
import type { ThemeStore } from './create-theme.ts';

/** The parts of the page that outlive any one view. `shell/create-console.ts` makes them. */
export type ConsoleParts = {
  api: Api;
  connection: Connection;
  session: SessionStore;
  router: Router;
  theme: ThemeStore;
  announcer: Announcer;
  upload: Upload;
};

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new Error('useConsole was called outside of ConsoleContext');
  return parts;
}
