/** Places whose refusals give no reason, or the wrong one: only the contrast of two answers tells, where it may. */
import { tempers } from '../tempers.ts';
import { catchAll, safe, unknown } from './expectations.ts';
import { placeOf } from './place.ts';
import type { Place } from './place.ts';

const alive = (story: string) => ({ who: 'alive', expect: safe, story });
const inDoubt = (story: string) => ({ who: 'alive', expect: unknown('catch_all_undetermined'), story });

export const contrastPlaces: Place[] = [
  placeOf('opensmtpd.test', { temper: tempers.openSmtpdLike }, [alive('524 for every unknown mailbox')]),
  placeOf('haraka.test', { temper: tempers.harakaLike }, [alive('550 without a reason')]),
  placeOf('haraka-alone.test', { temper: tempers.harakaLike }, [
    {
      who: 'nobody',
      expect: unknown('refused_without_reason'),
      story: 'refused without a reason, and nobody to compare it with',
    },
  ]),
  placeOf('soft-bounce.test', { temper: tempers.softBounces }, [alive('450 for every unknown mailbox')]),
  placeOf('verification-failed.test', { temper: tempers.verificationFailed }, [
    alive('450 after the next host said that there is no such mailbox'),
  ]),
  placeOf('verifying.test', { temper: tempers.verificationInProgress }, [
    inDoubt('450 while the next host has not been asked'),
  ]),
  placeOf('mimecast-unknown.test', { temper: tempers.mimecastUnknown }, [alive('451 for unknown mailboxes')]),
  placeOf('every-second.test', { temper: tempers.refusesEverySecond }, [
    { who: 'anyone', expect: catchAll, story: 'every second recipient of a transaction is refused' },
  ]),
  placeOf('every-second-of-all.test', { temper: tempers.refusesEverySecondOfAll }, [
    { who: 'anyone', expect: catchAll, story: 'every second recipient of a conversation is refused' },
  ]),
  placeOf('locks.test', { temper: tempers.locksAtFirstRefusal }, [
    inDoubt('everybody is refused after the first refusal'),
  ]),
];
