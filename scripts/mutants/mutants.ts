import { creditMutants, taskMutants } from './books.ts';
import { egressMutants, replyMutants, verdictMutants } from './engine.ts';
import { keyMutants } from './keys.ts';
import { listMutants } from './lists.ts';
import type { Mutant } from './mutant.ts';
import { peopleMutants } from './people.ts';
import { proberMutants } from './probers.ts';
import { singleMutants } from './singles.ts';
import { webhookMutants } from './webhooks.ts';

export const mutants: readonly Mutant[] = [
  ...webhookMutants,
  ...keyMutants,
  ...listMutants,
  ...proberMutants,
  ...peopleMutants,
  ...singleMutants,
  ...creditMutants,
  ...taskMutants,
  ...verdictMutants,
  ...replyMutants,
  ...egressMutants,
];
