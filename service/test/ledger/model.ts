/**
 * The books as they should be: the service's promises in plain objects, without a database, a fence check in SQL or
 * a transaction. It is the other half of the property test, so it shares no code with the service.
 */
export type ModelItem = { done: boolean; conclusive: boolean; nextAt: number };

export type ModelTask = {
  id: string;
  test: boolean;
  status: 'waiting' | 'running' | 'completed';
  items: ModelItem[];
  fence: number;
  leaseUntil: number;
  owner: string;
  nextAt: number;
  deadlineAt: number;
  expiresAt: number;
};

export type ModelSingle = { holdOpen: boolean; expiresAt: number; owner: string; key: number | undefined };

export type ModelKey = {
  endpoint: 'single' | 'task';
  body: string;
  inProgress: boolean;
  owner: string;
  expiresAt: number;
  taskId: string;
};

export type Model = {
  granted: number;
  available: number;
  reserved: number;
  spent: number;
  frozen: boolean;
  ops: Set<number>;
  tasks: ModelTask[];
  singles: ModelSingle[];
  keys: Map<number, ModelKey>;
};

export function newModel(credits: number): Model {
  return {
    granted: credits,
    available: credits,
    reserved: 0,
    spent: 0,
    frozen: false,
    ops: new Set(),
    tasks: [],
    singles: [],
    keys: new Map(),
  };
}

export const day = 86_400_000;

export function hold(model: Model, credits: number): void {
  model.available -= credits;
  model.reserved += credits;
}

export function close(model: Model, credits: number, charge: number): void {
  model.reserved -= credits;
  model.spent += charge;
  model.available += credits - charge;
}

/** Returns the answers to a number of callers that want one credit each, one after another. */
export function answersTo(
  model: Model,
  wanted: number,
): ('paid' | 'account_frozen' | 'insufficient_credits')[] {
  return Array.from({ length: wanted }, (_, n) =>
    model.frozen ? 'account_frozen' : n < model.available ? 'paid' : 'insufficient_credits',
  );
}

export function keyAt(model: Model, key: number | undefined, now: number): ModelKey | undefined {
  const found = key === undefined ? undefined : model.keys.get(key);
  return found !== undefined && found.expiresAt > now ? found : undefined;
}

export function complete(model: Model, task: ModelTask, now: number): void {
  task.status = 'completed';
  task.leaseUntil = 0;
  task.expiresAt = now + (task.test ? day / 24 : 15 * day);
  if (!task.test) close(model, task.items.length, task.items.filter((item) => item.conclusive).length);
}

export function releaseSingle(model: Model, single: ModelSingle): void {
  if (!single.holdOpen) return;
  single.holdOpen = false;
  close(model, 1, 0);
}

/** Sweeps as the service must: the dead, the expired, the overdue, the outlived. */
export function sweep(model: Model, now: number, dead: ReadonlySet<string>): void {
  for (const single of model.singles)
    if (single.expiresAt <= now || dead.has(single.owner)) releaseSingle(model, single);
  for (const [name, key] of model.keys) {
    if (key.expiresAt <= now || (key.inProgress && dead.has(key.owner))) model.keys.delete(name);
  }
  for (const task of model.tasks) {
    if (task.status === 'completed') continue;
    if (dead.has(task.owner)) Object.assign(task, { leaseUntil: 0, owner: '' });
    if (task.deadlineAt > now || task.leaseUntil > now) continue;
    task.fence += 1;
    for (const item of task.items) item.done = true;
    complete(model, task, now);
  }
  model.tasks = model.tasks.filter((task) => task.status !== 'completed' || task.expiresAt > now);
}
