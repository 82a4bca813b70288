/**
 * `true` where two types are one and the same, and no type at all otherwise. A schema that is assigned
 * through it to the contract's type stops compiling on the day the two part.
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
