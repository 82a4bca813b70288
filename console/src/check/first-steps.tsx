import { saveFile } from '../parts/save-file.ts';
import { useConsole } from '../app/use-console.ts';
import { pathTo } from '../app/base-path.ts';

/** One address for each kind of answer of the sandbox, and what real lists are full of. */
const sampleList = [
  'name,email',
  'Ada,ada+safe@example.com',
  'Grace,grace+safe@example.com',
  'Sales team,sales+role_account@example.com',
  'Alan,alan+catch_all@example.com',
  'Barbara,barbara+inbox_full@example.com',
  'Edsger,edsger+invalid@example.com',
  'Hedy,hedy+disabled@example.com',
  'Katherine,katherine+disposable@example.com',
  'Trap,trap+spamtrap@example.com',
  'Linus,linus+unknown@example.com',
  '"Ada, again",ADA+safe@example.com',
  'Margaret,Margaret <margaret+safe@example.com>',
  'Nobody,not an address',
  '',
].join('\r\n');

/** What to do first, for somebody who has just signed in. */
export function FirstSteps() {
  const { session } = useConsole();
  const state = session.state.value;
  const isTest = state.kind === 'account' && state.account.key?.mode === 'test';
  return (
    <section class="card first-steps" aria-labelledby="first-steps-title">
      <h2 id="first-steps-title">First steps</h2>
      <ol>
        <li>
          <strong>Check an address above.</strong> You get a status, a score and every reply of the mail
          server as evidence.
        </li>
        <li>
          <strong>Check a list.</strong> Upload a file under <a href={pathTo('/lists')}>Lists</a>, or try it
          with the{' '}
          <button type="button" class="link-button" onClick={() => saveFile('sample-list.csv', [sampleList])}>
            sample list
          </button>
          {isTest
            ? ', which shows every kind of answer.'
            : '. Sign in with a test key for it: the sandbox answers, and it costs nothing.'}
        </li>
        <li>
          <strong>Use the API.</strong> Create a key under <a href={pathTo('/account')}>Account</a> and read
          the <a href={pathTo('/docs')}>API reference</a>.
        </li>
      </ol>
    </section>
  );
}
