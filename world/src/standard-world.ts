/** The well-known world: a domain for every temper and every row of the verdict table. */
import { contrastPlaces } from './cast/contrast-places.ts';
import { dnsPlaces } from './cast/dns-places.ts';
import { doubtfulPlaces } from './cast/doubtful-places.ts';
import { hostilePlaces } from './cast/hostile-places.ts';
import { castOf, describe } from './cast/place.ts';
import type { CastMember, Place } from './cast/place.ts';
import { providerPlaces } from './cast/provider-places.ts';
import { truthfulPlaces } from './cast/truthful-places.ts';
import type { WorldDescription } from './description.ts';

const places: Place[] = [
  ...truthfulPlaces,
  ...contrastPlaces,
  ...providerPlaces,
  ...dnsPlaces,
  ...hostilePlaces,
  ...doubtfulPlaces,
];

export function standardWorld(): WorldDescription {
  return describe(places);
}

/** Who can be asked for in the standard world, and what must come of it. */
export const standardCast: CastMember[] = castOf(places);

/** What an operator's lists must hold for the members of the cast that need lists. */
export const standardLists = { disposableDomains: ['disposable.test'], spamTraps: ['trap@plain.test'] };
