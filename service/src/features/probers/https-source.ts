import type { Clock, Remembered } from '@mailproof/engine';
import type { TSchema, Static } from 'typebox';
import { Compile } from 'typebox/schema';
import { readLearned, writeEvidence, writeLearned } from './evidence-messages.ts';
import {
  enrolAnswerSchema,
  leaseAnswerSchema,
  ownProtocol,
  protocolHeader,
  readProtocol,
  reportAnswerSchema,
  type LeaseAnswerMessage,
  type LeaseRequestMessage,
  type ReportMessage,
} from './prober-messages.ts';
import { messageLimits } from './message-limits.ts';
import type { RestWish } from './prober-rests.ts';
import type { LeasedProbe, ProbeResult, ProbeSource, ReportAnswer } from './probe-source.ts';

/**
 * Parts of the connection from an outside prober to the centre. The centre's answers are trusted as little as a mail
 * host's. Time and size are bounded, every field is checked, and redirects are not followed.
 */
type HttpsSourceParts = {
  centre: URL;
  secret: string;
  /** Chosen at random at the start: of two processes with the same secret, only one works. */
  instance: string;
  version: string;
  clock: Clock;
  /** Describes this prober for the operator. */
  describe: () => Pick<LeaseRequestMessage, 'conversations' | 'resting' | 'unwell' | 'rests'>;
  /** Receives the rests of this prober that the operator wants to end. */
  onEnd: (wishes: RestWish[]) => void;
  /** Receives facts that other probers have learnt. */
  onLearned: (entries: Remembered[]) => void;
};

/** The centre refused; `reason` is the word it gave, if any. */
export class CentreRefusedError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string) {
    super(`the centre answered ${status} ${reason}`);
    this.status = status;
    this.reason = reason;
  }
}

/** Longer than the centre may wait. */
const answerMs = 15_000;

export function createHttpsSource(parts: HttpsSourceParts): ProbeSource {
  const { centre, secret, instance, version, clock } = parts;
  let news: string | undefined;
  /**
   * Unknown until the first answer. Requests do not wait for it: rests are sent only to a centre that can read them.
   */
  let protocol: number | undefined;
  let ended: string[] = [];
  const onProtocol = (spoken: number) => void (protocol = spoken);

  async function report(request: ReportMessage, signal: AbortSignal): Promise<ReportAnswer> {
    const how = { secret, withinMs: answerMs, signal, onProtocol, schema: reportAnswerSchema };
    const { ended, withdrawn = [] } = await post(new URL('probe/v1/report', centre), request, how);
    return { ended, withdrawn };
  }

  return {
    async lease({ places, egress, waitMs, holding }, signal) {
      const wait = protocol === undefined ? 0 : Math.min(Math.round(waitMs), messageLimits.waitMs);
      const { rests = [], ...health } = parts.describe();
      const request: LeaseRequestMessage = {
        instance,
        version,
        places,
        egress: [...egress],
        wait_ms: wait,
        ...(holding === undefined ? {} : { holding: [...holding] }),
        ...(news === undefined ? {} : { news }),
        ...health,
      };
      const how = { secret, withinMs: wait + answerMs, signal, onProtocol, schema: leaseAnswerSchema };
      const say = (message: LeaseRequestMessage) => post(new URL('probe/v1/lease', centre), message, how);
      const answer = await ((protocol ?? 1) < ownProtocol
        ? say(request)
        : orInOlder(say({ ...request, rests, ended }), () => say(request)));
      const { end: wishes = [] } = answer;
      ended = wishes.map(({ wish }) => wish);
      if (wishes.length > 0) parts.onEnd(wishes);
      if (answer.news !== '') ({ news } = answer);
      if (answer.learned.length > 0) parts.onLearned(readLearned(answer.learned));
      if (answer.stand_by_ms !== undefined) await pass(answer.stand_by_ms, { clock, signal });
      return answer.probes.map(readLeased);
    },
    async report({ results, learned, renew }, signal) {
      const request: ReportMessage = {
        instance,
        results: results.map(writeResult),
        learned: writeLearned(learned).slice(-messageLimits.learned),
        renew: [...renew],
      };
      if ((protocol ?? 1) < ownProtocol) return report(inProtocolOne(request), signal);
      return orInOlder(report(request, signal), () => report(inProtocolOne(request), signal));
    },
  };
}

function writeResult({
  probe,
  lease,
  fence,
  evidence,
  begunMsAgo,
}: ProbeResult): ReportMessage['results'][number] {
  const begun = begunMsAgo === undefined ? {} : { begun_ms: begunMsAgo };
  return { probe, lease, fence, evidence: evidence === null ? null : writeEvidence(evidence), ...begun };
}

/**
 * Repeats a request in the older form. A process of an older version may run beside newer ones and refuses unknown
 * fields.
 */
async function orInOlder<Answer>(said: Promise<Answer>, sayInOlder: () => Promise<Answer>): Promise<Answer> {
  try {
    return await said;
  } catch (error) {
    if (!(error instanceof CentreRefusedError) || error.status !== 400) throw error;
    return sayInOlder();
  }
}

function inProtocolOne(request: ReportMessage): ReportMessage {
  const results = request.results.map(({ probe, lease, fence, evidence }) => ({
    probe,
    lease,
    fence,
    evidence,
  }));
  return { ...request, results };
}

type Enrolment = { centre: URL; secret: string; token: string; signal: AbortSignal };

export async function enrolAt({ centre, secret, token, signal }: Enrolment) {
  const how = { secret, withinMs: answerMs, signal, schema: enrolAnswerSchema, onProtocol: () => undefined };
  return post(new URL('probe/v1/enrol', centre), { token }, how);
}

function readLeased(probe: LeaseAnswerMessage['probes'][number]): LeasedProbe {
  const { urgency, tag: account, within_ms: withinMs, ...rest } = probe;
  return { ...rest, asker: { urgency, account }, withinMs };
}

type Posting<Schema extends TSchema> = {
  secret: string;
  withinMs: number;
  signal: AbortSignal;
  schema: Schema;
  /** Receives the protocol of the centre. */
  onProtocol: (protocol: number) => void;
};

async function post<Schema extends TSchema>(
  url: URL,
  message: object,
  { secret, withinMs, signal, schema, onProtocol }: Posting<Schema>,
): Promise<Static<Schema>> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      [protocolHeader]: String(ownProtocol),
    },
    body: JSON.stringify(message),
    signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
  });
  const text = await readText(response);
  if (response.status !== 200) throw new CentreRefusedError(response.status, reasonIn(text));
  onProtocol(readProtocol(response.headers.get(protocolHeader)));
  const body: unknown = JSON.parse(text);
  if (!checkOf(schema).Check(body)) throw new Error('the centre’s answer does not match its schema');
  return body;
}

const checks = new Map<TSchema, unknown>();

function checkOf<Schema extends TSchema>(schema: Schema) {
  const made = checks.get(schema) ?? Compile(schema);
  checks.set(schema, made);
  // A schema's entry was compiled from that schema.
  return made as { Check(value: unknown): value is Static<Schema> };
}

async function readText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > messageLimits.bytes) throw new Error('the centre’s answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reads the reason of a refusal; a proxy in front of the centre may answer in another format. */
function reasonIn(text: string): string {
  const body = parseOr(undefined, text);
  const isError = typeof body === 'object' && body !== null && 'reason' in body;
  return isError && typeof body.reason === 'string' ? body.reason.slice(0, 60) : '';
}

function parseOr(otherwise: unknown, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function pass(ms: number, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
