import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { Away } from '../../../renderer/app/away.tsx';
import { Band } from '../../../renderer/parts/band/band.tsx';
import { openOf } from '../../../renderer/pages/board/board.tsx';
import { momentText } from '../../../renderer/format/moment.ts';
import { useHeardAt } from '../../../renderer/stores/reached.ts';
import { useRecords, type RecordsState } from '../../../renderer/stores/records.ts';

const now = 1_795_000_000;
const initial = { ...useRecords.getInitialState() };

function become(over: object): void {
  Object.assign(useRecords.getInitialState(), over as Partial<RecordsState>);
}

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\s+/g, ' ');

afterEach(() => become(initial));

function HeardAt() {
  return <>{momentText(useHeardAt() ?? 0)}</>;
}

test('in the sandbox a node that stopped was last heard by the clock of the sandbox, as all that it said', () => {
  become({ trouble: 'The node does not answer.', readAt: now, sandbox: { clock: now + 86_400 } });
  expect(renderToStaticMarkup(<HeardAt />)).toBe(momentText(now + 86_400));
  become({ sandbox: null });
  expect(renderToStaticMarkup(<HeardAt />)).toBe(momentText(now));
});

test('now is one moment on a page, and a chain that is behind it is said to be', () => {
  const times = { begin: now - 600, now, normal_until: now + 3_600, refund_signed_from: null } as const;
  const open = { ...times, refund_alone_from: now + 7_200, danger_from: null, last: null };
  const page = (clock: number) => textOf(renderToStaticMarkup(<Band title="" times={open} clock={clock} />));
  const clockOf = (at: number) => momentText(at).slice(-5);
  expect(page(now + 3_540)).toContain(`Now, ${clockOf(now + 3_540)}`);
  expect(page(now + 3_540)).toMatch(/clock of the chain decides, and is 59 min behind yours/);
  expect(page(now + 60)).not.toMatch(/behind/);
});

const given = { open: true, phase: 'wait', give: { network: 'arkade' }, get: { network: 'lightning' } };

test('while its operator is away, no date of a coin on Arkade is said to stay as it is', () => {
  const networks = [{ name: 'arkade', state: 'away', detail: '' }];
  become({ status: { networks }, swaps: [{ ...given, paid: { state: 'stands' } }] });
  const paid = textOf(renderToStaticMarkup(<Away />));
  expect(paid).toMatch(/If the operator stays away, what you gave on Arkade comes back over the Bitcoin chain/);
  expect(paid).not.toMatch(/dates of your refunds/);
  become({ trouble: 'The node does not answer.' });
  expect(renderToStaticMarkup(<Away />)).toBe('');
  become({ trouble: null, swaps: [{ ...given, paid: { state: 'none' } }] });
  expect(textOf(renderToStaticMarkup(<Away />))).not.toMatch(/over the Bitcoin chain|dates of your refunds/);
});

test('the board counts what clients have open, and not what its owner swaps', () => {
  const lines = (count: number) => Array.from({ length: count }, () => ({}) as never);
  const counts = [openOf({ open_swaps: 12 }, 6, lines(4)), openOf({ open_swaps: 130 }, 6, lines(100))];
  expect(counts).toEqual([4, 124]);
});
