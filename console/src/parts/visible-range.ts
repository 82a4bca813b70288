type Seen = {
  /** Pixels scrolled past, and pixels that can be seen. */
  top: number;
  height: number;
  rowHeight: number;
};

/** Rows beyond the edge that are drawn all the same, so that scrolling does not meet white. */
const margin = 12;

/** Which of `count` rows to draw, and the height of those that are not, above and below. */
export function visibleRange(count: number, { top, height, rowHeight }: Seen) {
  const first = Math.min(Math.max(Math.floor(top / rowHeight) - margin, 0), Math.max(count - 1, 0));
  const last = Math.min(Math.ceil((top + height) / rowHeight) + margin, count);
  const end = Math.max(last, Math.min(first + margin, count));
  return { first, last: end, above: first * rowHeight, below: (count - end) * rowHeight };
}
