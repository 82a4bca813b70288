/**
 * A process of its own for each side of a measurement, so that neither spends the other's time. One question
 * at a time goes over, one answer comes back.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A file that calls `answerQuestions`, with the types of its questions and answers. */
export type ChildModule<Question, Answer> = {
  path: string;
  answers?: (question: Question) => Answer;
  execArgv?: string[];
  /** Beside the parent's own. */
  env?: Record<string, string>;
};

export type Child<Question, Answer> = {
  pid: number;
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
};

type Reply = { kind: 'answer'; answer: unknown } | { kind: 'failed'; why: string };

export function startChild<Question, Answer>(module: ChildModule<Question, Answer>): Child<Question, Answer> {
  const child = fork(module.path, {
    execArgv: ['--disable-warning=ExperimentalWarning', ...(module.execArgv ?? [])],
    serialization: 'advanced',
    env: { ...process.env, ...module.env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${module.path} could not be started`);
  return {
    pid,
    ask(question) {
      return new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${module.path} ended before it had answered`));
        child.once('exit', ended);
        child.once('message', (reply: Reply) => {
          child.off('exit', ended);
          // The module's type says what it answers.
          if (reply.kind === 'answer') resolve(reply.answer as Answer);
          else reject(new Error(reply.why));
        });
        child.send({ question });
      });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/**
 * The child's side: answers until the parent lets go. The parent reads the same file for its types; there it does
 * nothing.
 */
export function answerQuestions<Question, Answer>(
  path: string,
  answer: NonNullable<ChildModule<Question, Promise<Answer>>['answers']>,
): void {
  if (process.argv[1] !== path) return;
  process.on('message', ({ question }: { question: Question }) => {
    answer(question).then(
      (answered) => process.send?.({ kind: 'answer', answer: answered } satisfies Reply),
      (error: unknown) => process.send?.({ kind: 'failed', why: describe(error) } satisfies Reply),
    );
  });
  process.on('disconnect', () => process.exit());
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
