import { shown } from './amount.ts';
import type { Balance } from './tour.ts';

/** What went in and what came out of each stop, a line each. */
export function table(rows: readonly { readonly name: string; readonly balance: Balance }[]): string[] {
  const cells = rows.map(({ name, balance }) =>
    balance === null ? [name, 'nothing', 'nothing'] : [name, shown(balance.went), shown(balance.came)],
  );
  const all = [['', 'went in', 'came out'], ...cells];
  const width = (column: number): number => Math.max(...all.map((cell) => cell[column]?.length ?? 0));
  const [first, second, third] = [width(0), width(1), width(2)];
  return all.map(([name = '', went = '', came = '']) =>
    `${name.padEnd(first)}  ${went.padStart(second)}  ${came.padStart(third)}`.trimEnd(),
  );
}
