import { createLists, systemClock } from '@mailproof/engine';
import { createSandbox } from '../../src/core/verify/sandbox/create-sandbox.ts';
import type { SurveyParts } from '../../src/features/lists/survey-list.ts';

const lists = createLists({
  files: {},
  onProblem: (message) => {
    throw new Error(message);
  },
});
const sandbox = createSandbox({ delays: false, clock: systemClock });

/** Which provider was meant, by the lists that come with the engine, and as the sandbox has it. */
export const nearProvider: SurveyParts['nearProvider'] = {
  live: (address) => lists.find(address).nearProvider,
  test: (address) => sandbox.nearProvider(address),
};
