import { parseAddress } from '../../engine/src/syntax/parse-address.ts';

/** One labelled address; `null` where those who labelled it disagree, which is not scored. */
type LabelledAddress = { email: string; expected_valid_for_mailing: boolean | null };

type SyntaxMeasure = {
  valid: number;
  validAccepted: number;
  invalid: number;
  invalidRefused: number;
  misses: { email: string; expected: boolean; answer: string }[];
};

/** How often the parser agrees with labelled addresses, and every address where it does not. */
export function measureSyntax(rows: readonly LabelledAddress[]): SyntaxMeasure {
  const measure: SyntaxMeasure = { valid: 0, validAccepted: 0, invalid: 0, invalidRefused: 0, misses: [] };
  for (const { email, expected_valid_for_mailing: expected } of rows) {
    if (expected === null) continue;
    const parsed = parseAddress(email);
    const agrees = (parsed.kind === 'valid') === expected;
    if (expected) {
      measure.valid += 1;
      measure.validAccepted += Number(agrees);
    } else {
      measure.invalid += 1;
      measure.invalidRefused += Number(agrees);
    }
    const answer = parsed.kind === 'valid' ? 'valid' : parsed.fault;
    if (!agrees) measure.misses.push({ email, expected, answer });
  }
  return measure;
}
