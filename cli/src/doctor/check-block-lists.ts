import {
  blockListName,
  delistingPage,
  lookUpListing,
  routesOr,
  seenAddresses,
  type Listing,
  type RouteSetting,
} from '@mailproof/engine';
import { engineSettings } from '@mailproof/service/engine-settings';
import type { DoctorParts, Finding } from './doctor-parts.ts';

const check = 'block lists';

type Needs = Pick<DoctorParts, 'config' | 'resolver' | 'patience'>;

/** Looks every egress address up in the block lists, as the service does at its start and every six hours. */
export async function checkBlockLists(parts: Needs): Promise<Finding[]> {
  const { config } = parts;
  if (config.blockLists.length === 0)
    return [{ check, state: 'not_checked', seen: 'no list is looked up (MAILPROOF_BLOCK_LISTS=none)' }];
  const stated = engineSettings(config, () => undefined).policyFile?.routes ?? [];
  const routes = routesOr(stated);
  const findings = await Promise.all(routes.map((route) => checkRoute(route, parts)));
  return findings.flat();
}

async function checkRoute(route: RouteSetting, parts: Needs): Promise<Finding[]> {
  const { config } = parts;
  const addresses = await seenAddresses(route, { stated: config.publicAddresses });
  if (addresses.length === 0)
    return [
      {
        check,
        state: 'warning',
        seen: `the public address of egress ${route.id} is not known here, so no list can be looked up for it`,
        remedy:
          'Set MAILPROOF_PUBLIC_ADDRESS, or publicAddresses of the route in the providers file, to the address that mail hosts see. Until then only many refusals by mail hosts close it.',
      },
    ];
  const looked = await Promise.all(addresses.map((address) => lookUpAll(address, route.id, parts)));
  return looked.flat();
}

async function lookUpAll(
  address: string,
  egress: string,
  { config, resolver, patience }: Needs,
): Promise<Finding[]> {
  const askIpv4 = resolver.ipv4.bind(resolver);
  const found = await Promise.all(
    config.blockLists.map(async (zone) => ({
      zone,
      listing: await lookUpListing(address, zone, { askIpv4, patience: patience() }),
    })),
  );
  const clean = found.filter(({ listing }) => listing.kind === 'not_listed');
  return [
    ...found.flatMap(({ zone, listing }) => findingOf({ address, egress, zone, listing })),
    ...(clean.length === 0
      ? []
      : [{ check, state: 'ok' as const, seen: `${address} is not on ${namesOf(clean)}` }]),
  ];
}

type LookedUp = { address: string; egress: string; zone: string; listing: Listing };

function findingOf({ address, egress, zone, listing }: LookedUp): Finding[] {
  const list = blockListName(zone);
  switch (listing.kind) {
    case 'listed':
      return [
        {
          check,
          state: 'problem',
          seen: `${list} lists ${address} (${listing.codes.join(', ')}), so egress ${egress} is closed`,
          remedy: `Find out why and ask for its removal at ${delistingPage(zone)} . It opens within an hour of that. To ask from it all the same, run mailproof rests end ${egress}.`,
        },
      ];
    case 'no_answer':
      return [
        {
          check,
          state: 'warning',
          seen: `${list} cannot be looked up for ${address}: ${listing.why}`,
          remedy:
            'Many lists answer no public resolver and none they do not know. Use a recursive resolver of your own (MAILPROOF_DNS_SERVERS), register it with the list, or leave the list out of MAILPROOF_BLOCK_LISTS.',
        },
      ];
    case 'not_listed':
      return [];
  }
}

function namesOf(found: readonly { zone: string }[]): string {
  return found.map(({ zone }) => blockListName(zone)).join(', ');
}
