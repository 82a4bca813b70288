import { createResolver, defaultLimits, ownAddresses, systemServers, type Clock } from '@mailproof/engine';
import type { Config } from '../../../core/config/config.ts';
import type { WallClock } from '../../../core/store/wall-clock.ts';
import type { OidcSignIn } from './people-parts.ts';
import { callbackPath } from './people-paths.ts';
import { createSeal } from '../oidc/provider-visit.ts';

/** Signing in with the OpenID provider of the settings, where there is one. `close` gives up what it still waits for. */
export async function openOidc(
  config: Config,
  { clock, wallClock }: { clock: Clock; wallClock: WallClock },
): Promise<{ signIn: OidcSignIn; close(): void } | undefined> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  const publicUrl = config.publicUrl && `${config.publicUrl}${config.basePath}`;
  // That none is set without the others, the reading of the settings has seen to.
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || publicUrl === undefined)
    return undefined;
  const { createProvider } = await import('../oidc/create-provider.ts');
  const resolver = openResolver(config, clock);
  const closing = new AbortController();
  const provider = createProvider(
    {
      issuer,
      clientId,
      clientSecret,
      name: config.oidcName ?? new URL(issuer).host,
      redirectUri: `${publicUrl}${callbackPath}`,
    },
    {
      resolver: resolver.uncached,
      clock,
      egressAllow: config.egressAllow,
      ownAddresses,
      signal: closing.signal,
    },
  );
  return {
    signIn: {
      provider,
      seal: createSeal(clientSecret),
      publicUrl,
      operators: config.oidcOperators,
      now: () => wallClock.now(),
    },
    close: () => {
      closing.abort();
      resolver.close();
    },
  };
}

/** For names of the web, which the caches of the engine know nothing of. */
export function openResolver({ dnsServers }: Pick<Config, 'dnsServers'>, clock: Clock) {
  const servers = dnsServers.length > 0 ? dnsServers : systemServers();
  // A machine that names no server gets a resolver that nobody answers.
  const named = servers.length > 0 ? servers : [{ ip: '127.0.0.1', port: 53 }];
  return createResolver({ servers: named, clock, limits: defaultLimits });
}
