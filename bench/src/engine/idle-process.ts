import { answerQuestions } from '../processes/child.ts';
import type { IdleQuestion } from './idle-module.ts';
import { watchLoop, type LoopDelay } from './watch-loop.ts';

const watch: { running?: ReturnType<typeof watchLoop> } = {};

answerQuestions((question: IdleQuestion): Promise<LoopDelay | undefined> => {
  switch (question.kind) {
    case 'begin':
      watch.running = watchLoop();
      return Promise.resolve(undefined);
    case 'end':
      return Promise.resolve(watch.running?.stop());
  }
});
