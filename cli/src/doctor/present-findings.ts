import { printable } from '../present/printable.ts';
import { wrap } from '../present/wrap.ts';
import type { Colour, Terminal } from '../terminal.ts';
import type { Finding } from './check.ts';

const stateColours: Readonly<Record<Finding['state'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  not_checked: 'cyan',
};

/** Lines for a person: what was seen, and below it what to do about it. */
export function presentFindings(
  findings: readonly Finding[],
  { paint, columns }: Pick<Terminal, 'paint' | 'columns'>,
): string[] {
  const indent = ' '.repeat(13);
  return findings.flatMap(({ check, state, seen, remedy }) => {
    const [head = '', ...rest] = wrap(`${check}: ${printable(seen)}`, { columns, first: indent, indent });
    const label = paint(stateColours[state], state.replace('_', ' ').padEnd(indent.length));
    const advice =
      remedy === undefined ? [] : wrap(remedy, { columns, first: `${indent}→ `, indent: `${indent}  ` });
    return [`${label}${head.slice(indent.length)}`, ...rest, ...advice];
  });
}
