import type { SignInOptions } from '@mailproof/client';
import { useConsole } from '../app/use-console.ts';
import { useEvery, useLoaded, type Loaded } from '../loading/use-loaded.ts';

const lookAgainMs = 3_000;

/** The ways to sign in. Without them nobody gets in with the provider, so what could not be read is asked for again. */
export function useSignInOptions(): Loaded<SignInOptions> {
  const { api } = useConsole();
  const options = useLoaded(() => api.session.options());
  useEvery(lookAgainMs, () => void options.reload(), options.failure.value !== undefined);
  return options;
}
