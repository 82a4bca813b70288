/**
 * `true` if two types are identical, and otherwise no type at all. A schema that is assigned through it to the
 * contract's type stops compiling as soon as the two differ.
 */
export type SameType<A, B> =
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- two generic functions are the compiler's only test for identity
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : never;

/** The type written out as one object, level by level, so that only its meaning is compared. */
type Plain<T> = T extends (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Key in keyof T]: Plain<T[Key]> }
    : T;
