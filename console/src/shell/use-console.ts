import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Console } from './create-console.ts';

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const parts = useContext(ConsoleContext);
  if (parts === undefined) throw new Error('a view stands outside of the console');
  return parts;
}
