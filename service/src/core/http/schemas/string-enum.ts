import { Type } from 'typebox';

/** A string out of a list, as a plain `enum`: the serializer writes it without trying each alternative. */
export function stringEnum<const Values extends readonly string[]>(
  values: Values,
  options: { description?: string } = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}
