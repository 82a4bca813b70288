import { describeFailure } from '../api/describe-failure.ts';
import { failureOf } from '../api/failure.ts';
import { useConsole } from '../app/use-console.ts';

/** Ends the session and goes to the first page. Where the service cannot be told, says so and stays. */
export function useSignOut(): () => void {
  const { session, router, announcer, upload } = useConsole();
  const signOut = async () => {
    try {
      await session.signOut();
      upload.stop();
      router.replace('/');
    } catch (error) {
      announcer.say(describeFailure(failureOf(error)).text);
    }
  };
  return () => void signOut();
}
