import { chinese, japanese, korean } from './east-asian.ts';
import { polish, russian, turkish } from './eastern.ts';
import { dutch, german } from './germanic.ts';
import type { Language, Sayings } from './language.ts';
import { furtherLanguages } from './further.ts';
import { french, italian, portuguese, spanish } from './romance.ts';

const languages: readonly Language[] = [
  german,
  dutch,
  french,
  spanish,
  portuguese,
  italian,
  polish,
  russian,
  turkish,
  chinese,
  japanese,
  korean,
  furtherLanguages,
];

/** Collects the phrases of one meaning. Equal phrases of two languages count once. */
function inAllLanguages(meaning: keyof Language): Sayings {
  return Object.fromEntries(languages.flatMap((language) => Object.entries(language[meaning])));
}

export const unknownAbroad = inAllLanguages('unknown');
export const fullAbroad = inAllLanguages('full');
export const disabledAbroad = inAllLanguages('disabled');
export const patienceAbroad = inAllLanguages('patience');
export const aboutUsAbroad = inAllLanguages('aboutUs');
