/**
 * Returns the list with one item more. Most lists of a verification have one item in all, and joining lists is slow
 * for that.
 */
export function withItem<Item>(list: readonly Item[], item: Item): Item[] {
  return list.length === 0 ? [item] : [...list, item];
}
