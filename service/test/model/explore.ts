/**
 * A small model whose every state is visited: all events, in every order. States are plain JSON, and states with
 * the same text are equal.
 */
export type Model<State> = {
  start: State;
  /** Returns all events that may happen next. */
  next(state: State): Step<State>[];
  /** Returns a description of what is wrong with a state, if anything. */
  wrong(state: State): string | undefined;
  /**
   * Liveness: from every state to which it applies, a state with `reached` can be reached by steps that are no
   * faults.
   */
  possible: { what: string; applies: (state: State) => boolean; reached: (state: State) => boolean }[];
};

export type Step<State> = {
  name: string;
  /** A failure: it may happen, and nothing may rely on it. */
  fault?: true;
  state: State;
};

type Explored = { states: number; steps: number; violation: Violation | undefined };

/** The shortest way to a violation. */
type Violation = { what: string; way: string[] };

type Seen = { before: number; by: string };

/** More states than this are a mistake in the model, not thoroughness. */
const mostStates = 2_000_000;

export function explore<State>(model: Model<State>): Explored {
  const keys: string[] = [];
  const seen: Seen[] = [];
  const index = new Map<string, number>();
  /** Predecessors of each state by steps that are no faults. */
  const leadsTo: number[][] = [];
  let steps = 0;

  function enter(state: State, from: Seen): number {
    const key = JSON.stringify(state);
    const known = index.get(key);
    if (known !== undefined) return known;
    if (keys.length >= mostStates) throw new Error(`the model has more than ${mostStates} states`);
    index.set(key, keys.length);
    leadsTo.push([]);
    seen.push(from);
    return keys.push(key) - 1;
  }

  enter(model.start, { before: -1, by: '' });
  for (let at = 0; at < keys.length; at += 1) {
    const state = JSON.parse(keys[at] ?? '') as State;
    const what = model.wrong(state);
    if (what !== undefined) return { states: keys.length, steps, violation: { what, way: wayTo(at, seen) } };
    for (const step of model.next(state)) {
      steps += 1;
      const to = enter(step.state, { before: at, by: step.name });
      if (step.fault !== true) leadsTo[to]?.push(at);
    }
  }
  const stuck = firstStuck(model, { keys, leadsTo });
  const violation = stuck && { what: stuck.what, way: wayTo(stuck.at, seen) };
  return { states: keys.length, steps, violation };
}

/** Returns a state from which a required state can no longer be reached. */
function firstStuck<State>(
  { possible }: Model<State>,
  { keys, leadsTo }: { keys: readonly string[]; leadsTo: readonly number[][] },
): { what: string; at: number } | undefined {
  for (const { what, applies, reached } of possible) {
    const isSo = (test: (state: State) => boolean, key: string): boolean => test(JSON.parse(key) as State);
    const good = new Set(keys.flatMap((key, at) => (isSo(reached, key) ? [at] : [])));
    // Iteration includes elements that are added to the set meanwhile.
    for (const at of good) for (const before of leadsTo[at] ?? []) good.add(before);
    const at = keys.findIndex((key, place) => !good.has(place) && isSo(applies, key));
    if (at >= 0) return { what, at };
  }
  return undefined;
}

function wayTo(at: number, seen: readonly Seen[]): string[] {
  const way: string[] = [];
  for (let one = seen[at]; one !== undefined && one.before >= 0; one = seen[one.before]) way.push(one.by);
  return way.reverse();
}
