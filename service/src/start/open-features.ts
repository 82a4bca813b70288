import { resolve } from 'node:path';
import { ipProfiles, type Clock, type Engine } from '@mailproof/engine';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../core/config/config.ts';
import { engineSettings } from '../core/config/engine-settings.ts';
import type { FeatureName } from '../core/config/feature-names.ts';
import type { FindVisitor } from '../core/http/pipeline/authenticate-request.ts';
import type { AdminToken } from '../core/keys/admin-token.ts';
import type { Store } from '../core/store/store.ts';
import { withFreshDeadlines } from '../core/store/with-fresh-deadlines.ts';
import type { Sandbox } from '../core/verify/sandbox/create-sandbox.ts';
import type { SandboxAllowance } from '../core/verify/sandbox/sandbox-allowance.ts';
import type { AboutHttp } from '../features/about/about-host.ts';
import { createAccountActions } from '../features/account/account-actions.ts';
import { readConsoleFiles } from '../features/console/read-console-files.ts';
import { startForms } from '../features/forms/form-actions.ts';
import { expectedSeconds, type SendingRate } from '../features/lists/expected-seconds.ts';
import { createListActions, type ListActions } from '../features/lists/list-actions.ts';
import { createWorkbookReaders } from '../features/lists/reading/workbook-readers.ts';
import type { MetricsHttp } from '../features/metrics/metrics-parts.ts';
import { createOperatorActions, type OperatorActionsParts } from '../features/operator/operator-actions.ts';
import { openOidc } from '../features/people/routes/open-oidc.ts';
import { createPeopleActions } from '../features/people/people-actions.ts';
import { createSessions } from '../features/people/sessions/create-sessions.ts';
import { createFindVisitor } from '../features/people/sessions/find-session.ts';
import { openProberCentre } from '../features/probers/open-prober-centre.ts';
import type { ProbeQueue } from '../features/probers/probe-queue.ts';
import { newDeliveries } from '../features/webhooks/start-webhooks.ts';
import { createWebhookActions } from '../features/webhooks/webhook-actions.ts';
import type { FeatureParts } from './features.ts';

/** Parts of a process with an API that features are opened with. */
export type FeatureContext = Omit<OperatorActionsParts, 'startedAt' | 'trustedProxies'> & {
  store: Store;
  clock: Clock;
  engine: Engine;
  /** Hands probes to other processes; absent without the feature. */
  queue: ProbeQueue | undefined;
  sandbox: Sandbox;
  /** Tells the workers of every process that a task is due. */
  wake: () => void;
  onProblem(message: string, error?: unknown): void;
  /** The figures, if they are served on the API's own port. */
  metricsRoute: MetricsHttp['metrics'];
};

type OpenedFeatures = {
  parts: FeatureParts;
  findVisitor: (clientAddress: (request: FastifyRequest) => string) => FindVisitor | undefined;
  /** Ends the waits of requests. */
  drain: () => void;
  close: () => Promise<void>;
};

/** Folder in which `node console/build.ts` puts the console. */
const consoleFolder = resolve(import.meta.dirname, '../../../console/dist');

/** Opens the parts of the features' routes. A feature that is left out starts no timer and opens no connection. */
export async function openFeatureParts(
  config: Config,
  parts: FeatureContext & { adminToken: AdminToken; allowance: SandboxAllowance },
): Promise<OpenedFeatures> {
  const { store, adminToken } = parts;
  const has = (name: FeatureName): boolean => config.features.includes(name);
  const { oidcOperators: operators, keySignIn, basePath } = config;
  const probers =
    has('probers') && parts.queue ? openProberCentre(config, { ...parts, queue: parts.queue }) : undefined;
  const forms = has('forms') ? startForms(parts) : undefined;
  const oidc = has('people') ? await openOidc(config, parts) : undefined;
  const sessions = createSessions({ ...parts, store: sessionStore(store), operators, keySignIn });
  const own: Partial<FeatureParts> = {
    account: createAccountActions(parts),
    lists: listActions(config, parts),
    webhooks: createWebhookActions({
      ...parts,
      httpAllowed: config.webhookEgressAllow.length > 0,
      wake: () => store.notify(newDeliveries),
    }),
    ...(forms === undefined ? {} : { forms }),
    ...(probers === undefined ? {} : { probers }),
    sessions,
    people: createPeopleActions({ ...parts, operators }),
    keySignIn,
    oidc: oidc?.signIn,
    operator: operatorActions(config, parts),
    hasOperator: adminToken.isSet || (oidc?.signIn.operators.length ?? 0) > 0,
    metrics: parts.metricsRoute,
    about: has('about') ? aboutHost(config) : undefined,
    ...(has('console') ? { consoleFiles: readConsoleFiles(consoleFolder, basePath, config.features) } : {}),
  };
  return {
    // The routes of a feature that is left out are never loaded, so its parts are not needed.
    parts: own as FeatureParts,
    findVisitor: (clientAddress) =>
      has('people') ? createFindVisitor({ sessions, clientAddress }) : undefined,
    drain: () => probers?.close(),
    close: async () => {
      await forms?.stop();
      oidc?.close();
    },
  };
}

function operatorActions(config: Config, parts: FeatureContext) {
  const { trustedProxies } = config;
  return createOperatorActions({ ...parts, trustedProxies, startedAt: parts.wallClock.now() });
}

function listActions(config: Config, parts: FeatureContext & { allowance: SandboxAllowance }): ListActions {
  return createListActions({
    ...config,
    store: parts.store,
    wallClock: parts.wallClock,
    processId: parts.registry.ownId,
    retentionMs: config.taskRetentionMs,
    listStorage: config,
    workbooks: createWorkbookReaders({ clock: parts.clock }),
    sandboxAllowance: parts.allowance,
    wake: parts.wake,
    expectSeconds: (mailboxes) => expectedSeconds(mailboxes, sendingRate(config, parts)),
    nearProvider: {
      live: (address) => parts.engine.nearProvider(address),
      test: (address) => parts.sandbox.nearProvider(address),
    },
  });
}

/** Returns the sending rate of this process's egress addresses, for an estimate. Outside probers are not counted. */
function sendingRate({ pacing, ipProfile }: Config, { engine }: FeatureContext): SendingRate {
  const { routes } = engine.health();
  const sum = (of: (route: (typeof routes)[number]) => number): number =>
    routes.reduce((total, route) => total + of(route), 0);
  return {
    pace: ipProfiles[pacing === 'off' ? 'private' : ipProfile],
    egressAddresses: routes.length,
    leftToday: sum(({ dayLimit = Infinity, openedToday }) => Math.max(0, dayLimit - openedToday)),
    perDay: sum(({ dayLimit = Infinity }) => dayLimit),
  };
}

/** Describes this host at its HELO names, if the operator points these names to this machine. */
function aboutHost(config: Config): AboutHttp['about'] {
  const { aboutContact: contact, mailFrom, heloName } = config;
  if (contact === undefined) return undefined;
  const { policyFile } = engineSettings(config, () => undefined);
  const ofRoutes = policyFile?.routes.flatMap((route) => route.heloName ?? []) ?? [];
  return { contact, mailFrom, heloNames: [...new Set([heloName, ...ofRoutes])] };
}

/** Finding a session is part of authentication and has its deadline; opening or closing one counts as work. */
function sessionStore(store: Store): Pick<Store, 'read' | 'write'> {
  return { read: withFreshDeadlines(store, 'key').read, write: withFreshDeadlines(store, 'work').write };
}
