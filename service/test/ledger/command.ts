import fc from 'fast-check';

/**
 * The events in the life of an account's books, in any order. Numbers that choose among open things (`which`) are
 * taken modulo their count, so that every sequence is valid, even after shrinking.
 */
export type Command =
  | { kind: 'grant'; credits: number; op: number }
  | {
      kind: 'create_task';
      addresses: number;
      duplicates: number;
      rejected: number;
      key: number | undefined;
      test: boolean;
    }
  | { kind: 'start_single'; key: number | undefined }
  /** Several at once whose verdict is known before it is paid for; with a key, one. */
  | { kind: 'known_singles'; key: number | undefined; times: number }
  | { kind: 'end_single'; which: number; as: 'conclusive' | 'inconclusive' | 'timeout' | 'defect' }
  | { kind: 'settle_again'; which: number }
  /** The account is frozen; or the operator has unfrozen it. */
  | { kind: 'freeze'; frozen: boolean }
  | { kind: 'claim' }
  | { kind: 'record'; which: number; position: number; conclusive: boolean }
  | { kind: 'defer'; which: number; position: number; byMs: number }
  | { kind: 'settle_task'; which: number }
  | { kind: 'put_back'; which: number }
  | { kind: 'renew'; which: number }
  | { kind: 'advance'; ms: number }
  | { kind: 'sweep' }
  | { kind: 'crash' };

const which = fc.nat({ max: 5 });
const key = fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 2 });

const record = fc.record({
  kind: fc.constant('record' as const),
  which,
  position: fc.nat({ max: 3 }),
  conclusive: fc.boolean(),
});
const createTask = fc.record({
  kind: fc.constant('create_task' as const),
  addresses: fc.nat({ max: 3 }),
  duplicates: fc.nat({ max: 1 }),
  rejected: fc.nat({ max: 1 }),
  key,
  test: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

/** A second, a lease, the life of a single's hold, a task's deadline, a day, a task's retention. */
const spans = [1_000, 31_000, 41_000, 1_800_000, 86_400_000, 20 * 86_400_000];

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      credits: fc.integer({ min: 1, max: 6 }),
      op: fc.nat({ max: 3 }),
    }),
  },
  { weight: 4, arbitrary: createTask },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('start_single' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('known_singles' as const),
      key,
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('freeze' as const),
      // Rarely, so that most sequences move credits.
      frozen: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end_single' as const),
      which,
      as: fc.constantFrom(
        'conclusive' as const,
        'inconclusive' as const,
        'timeout' as const,
        'defect' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle_again' as const), which }) },
  { weight: 6, arbitrary: fc.constant({ kind: 'claim' as const }) },
  { weight: 9, arbitrary: record },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('defer' as const),
      which,
      position: fc.nat({ max: 3 }),
      byMs: fc.constant(5_000),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle_task' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('put_back' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renew' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(...spans, 1_000, 31_000, 31_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'sweep' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
);
