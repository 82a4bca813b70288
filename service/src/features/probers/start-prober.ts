import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, systemClock, type EngineMemory, type Remembered } from '@mailproof/engine';
import type { Logger } from 'pino';
import type { Config } from '../../core/config/config.ts';
import { engineSettings } from '../../core/config/engine-settings.ts';
import type { LogOutput } from '../../core/process/batch-writes.ts';
import { createLogger, openStandardOutput } from '../../core/process/create-logger.ts';
import { CentreRefusedError, createHttpsSource, enrolAt } from './https-source.ts';
import { describeRests, endsOf } from './prober-rests.ts';
import { makeProberSecret } from './prober-records.ts';
import { createPause, createRetryWaits } from './retry-waits.ts';
import { runProber } from './run-prober.ts';
import { StartError } from '../../core/config/start-error.ts';

/**
 * A prober outside the installation: an engine that asks mail hosts what the centre wants to know, with egress addresses
 * of its own and a guard of its own. It needs no database, no account and no key, only outbound 443 and 25.
 */
export type ProberService = {
  name: string;
  /** Lets what is under way end. */
  stop(): Promise<void>;
};

type StartProberParts = {
  /** Where the centre is; only needed the first time, like the token. */
  url: string | undefined;
  token: string | undefined;
  version: string;
  signal: AbortSignal;
  logDestination?: LogOutput;
};

export async function startProber(config: Config, parts: StartProberParts): Promise<ProberService> {
  const logger = createLogger(config.logLevel, parts.logDestination ?? openStandardOutput());
  const identity = await enrolOnce(config, {
    ...parts,
    onRefusal: (why) => logger.warn({ why }, 'the service cannot enrol this prober yet; it is tried again'),
  });
  const memory = createProberMemory();
  const engine = createEngine({
    ...engineSettings(config, (message) => logger.warn(message)),
    memory: memory.engineMemory,
    randomProbeKey: createHmac('sha256', identity.secret).update('random probes').digest('hex'),
  });
  const running = runProber({
    source: createHttpsSource({
      centre: new URL(identity.url),
      secret: identity.secret,
      instance: randomUUID(),
      version: parts.version,
      clock: systemClock,
      describe: () => describeHealth(engine),
      onLearned: memory.tell,
      onEnd: (wishes) => {
        for (const wish of wishes) logger.info({ ...wish }, 'the operator ends a rest');
        memory.tell(wishes.map((wish) => endsOf(wish, Date.now())));
      },
    }),
    prober: engine.prober,
    clock: systemClock,
    egress: () => engine.egress.ids,
    takeLearned: memory.take,
    onProblem: (message, error) => logProblem(logger, message, error),
  });
  logger.info({ prober: identity.name, centre: identity.url }, 'probing');
  return {
    name: identity.name,
    stop: async () => {
      await running.stop(drainMs);
      engine.close();
      logger.info('stopped');
    },
  };
}

const drainMs = 20_000;

/** It is unwell if it can ask from none of its addresses; one that can asks for the others. */
function describeHealth(engine: ReturnType<typeof createEngine>) {
  const health = engine.health();
  const { conversations, resting, mailPort, identity, closed } = health;
  const listed = engine.egress.ids.every((id) => closed.some((one) => one.egress === id))
    ? closed[0]
    : undefined;
  const isUnproven = identity.length > 0 && identity.every(({ problem }) => problem !== undefined);
  const problem =
    mailPort.kind === 'blocked'
      ? 'mail_port_blocked'
      : isUnproven
        ? 'identity_unproven'
        : listed && `listed_by ${listed.closure.list}`.slice(0, mostCharacters);
  const unwell = problem === undefined ? {} : { unwell: problem };
  const rests = describeRests(health, Date.now());
  return { conversations: conversations.open, resting: resting.length, rests, ...unwell };
}

/** The centre takes no longer reason. */
const mostCharacters = 100;

/** What is wrong with the connection is told in a line; a stack would say nothing more. */
function logProblem(logger: Logger, message: string, error: unknown): void {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  logger.warn({ why: cause instanceof Error ? cause.message : cause }, message);
}

type Identity = { url: string; name: string; prober_id: string; secret: string };

const identityFile = 'prober.json';

/** The secret is written down before it is sent, so that whatever breaks off the enrolment can be repeated. */
async function enrolOnce(config: Config, parts: EnrolmentParts): Promise<Identity> {
  const file = join(config.dataDir, identityFile);
  const kept = readIdentity(file);
  const url = readUrl(parts.url ?? kept?.url);
  if (kept?.prober_id !== undefined && parts.token === undefined) return { ...complete(kept, file), url };
  if (parts.token === undefined)
    throw new StartError('the first start of a prober needs --url and --token; see mailproof probers add');
  const secret = kept?.prober_id === undefined ? (kept?.secret ?? makeProberSecret()) : makeProberSecret();
  writeIdentity(file, { url, secret });
  const centre = new URL(url);
  try {
    const answer = await enrolInTime({ centre, secret, token: parts.token, signal: parts.signal }, parts);
    const identity = { url, secret, ...answer };
    writeIdentity(file, identity);
    return identity;
  } catch (error) {
    throw new StartError(`the prober could not enrol at ${centre.origin}: ${whyOf(error)}`, error);
  }
}

type EnrolmentParts = StartProberParts & {
  /** Told once, with the first answer that is no refusal of the token. */
  onRefusal: (why: string) => void;
};

/** Enrols, and tries again with growing waits while the service is busy, starting or without its database. */
async function enrolInTime(request: Parameters<typeof enrolAt>[0], { onRefusal }: EnrolmentParts) {
  const waits = createRetryWaits();
  const pause = createPause(systemClock);
  let isTold = false;
  for (;;) {
    try {
      return await enrolAt(request);
    } catch (error) {
      if (!isPassing(error) || request.signal.aborted) throw error;
      if (!isTold) onRefusal(whyOf(error));
      isTold = true;
      await pause.begin(waits.next(), request.signal);
    }
  }
}

/** Whether the service, or a proxy before it, cannot answer now: neither the token nor the URL is at fault. */
function isPassing(error: unknown): boolean {
  return error instanceof CentreRefusedError && (error.status >= 500 || error.status === 429);
}

function whyOf(error: unknown): string {
  if (error instanceof CentreRefusedError && error.reason === 'invalid_enrolment_token')
    return 'the token is wrong, was used already, or is older than an hour';
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function complete(kept: Partial<Identity>, file: string): Identity {
  const { url, name, prober_id: proberId, secret } = kept;
  if (url === undefined || name === undefined || proberId === undefined || secret === undefined)
    throw new StartError(`${file} is damaged: delete it and enrol again with a new token`);
  return { url, name, prober_id: proberId, secret };
}

/** Secrets go over TLS; within one machine they may go without. */
function readUrl(text: string | undefined): string {
  if (text === undefined) throw new StartError('the first start of a prober needs --url');
  const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
  const isLocal = url?.hostname === 'localhost' || /^127\.|^\[::1\]$/.test(url?.hostname ?? '');
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)))
    throw new StartError('--url must be the https:// address of the service');
  return url.href;
}

function readIdentity(file: string): Partial<Identity> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as Partial<Identity>;
  } catch (error) {
    throw new StartError(`${file} is damaged: delete it and enrol again with a new token`, error);
  }
}

function writeIdentity(file: string, identity: Partial<Identity>): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(identity)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

const mostUntold = 1_000;

/** What this engine learns is told to the centre, and what others learn is told to it. */
function createProberMemory() {
  const untold = new Map<string, Remembered>();
  let tellEngine: (entries: Remembered[]) => void = () => undefined;
  const engineMemory: EngineMemory = {
    load: () => [],
    learn: (entry) => {
      const [oldest] = untold.keys();
      if (oldest !== undefined && untold.size >= mostUntold) untold.delete(oldest);
      untold.set(`${entry.kind} ${entry.key}`, entry);
    },
    listen: (tell) => void (tellEngine = tell),
  };
  return {
    engineMemory,
    tell: (entries: Remembered[]) => tellEngine(entries),
    take: (): Remembered[] => {
      const entries = [...untold.values()];
      untold.clear();
      return entries;
    },
  };
}
