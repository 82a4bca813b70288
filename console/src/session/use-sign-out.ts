import { describeFailure } from '../api/describe-failure.ts';
import { failureOf } from '../api/failure.ts';
import { useConsole } from '../shell/use-console.ts';

/** Ends the session and goes to the first page; where the service cannot be told, says so and stays. */
export function useSignOut(): () => void {
  const { session, router, announcer } = useConsole();
  return () => {
    session.signOut().then(
      () => router.replace('/'),
      (error: unknown) => announcer.say(describeFailure(failureOf(error)).text),
    );
  };
}
