import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { openTrayMonitor, type TrayMonitor, type TrayState } from '../../main/tray-monitor.ts';
import { noticeOf, type OwnSwap } from '../../main/own-swaps.ts';
import { mayEnd } from '../../main/stakes.ts';
import { quitQuestion, trayLine } from '../../main/words.ts';

const swap = (attention: OwnSwap['attention'], outcome: string | null = null): OwnSwap => ({
  id: 's1',
  attention,
  outcome,
});

test('the owner hears of a swap when it ends or becomes urgent, and not when it calms down', () => {
  const changes: [OwnSwap | undefined, OwnSwap][] = [
    [swap('waiting'), swap('none', 'finished')],
    [swap('waiting'), swap('none', 'returned')],
    [swap('needs-you'), swap('none', 'unpaid')],
    [swap('waiting'), swap('needs-you')],
    [swap('needs-you'), swap('danger')],
    [undefined, swap('danger')],
    [swap('danger'), swap('danger')],
    [swap('danger'), swap('needs-you')],
    [undefined, swap('none', 'finished')],
    [swap('needs-you'), swap('waiting')],
  ];
  expect(changes.map(([before, now]) => noticeOf(before, now))).toEqual([
    ...['claimed', 'returned', null, 'needs-you', 'deadline-near', 'deadline-near'],
    ...[null, null, null, null],
  ]);
});

test('what is unknown is not nothing: a node that does not answer may not end unasked', () => {
  const stakes = { open: 0, atRiskSats: 0, paused: false };
  expect([
    mayEnd(false, null),
    mayEnd(true, null),
    mayEnd(true, stakes),
    mayEnd(true, { ...stakes, open: 1 }),
    mayEnd(true, { ...stakes, atRiskSats: 1 }),
  ]).toEqual([true, false, true, false, false]);
  expect([
    trayLine({ running: true, stakes: { open: 2, atRiskSats: 5, paused: true }, needsYou: 1, inDanger: 0 }),
    trayLine({ running: false, stakes: null, needsYou: 0, inDanger: 0 }),
    trayLine({ running: true, stakes: null, needsYou: 0, inDanger: 0 }),
    quitQuestion({ open: 1, atRiskSats: 25_000, paused: false }),
    quitQuestion(null),
  ]).toEqual([
    'Sluice: 2 swaps are open, one needs you, new swaps are paused',
    'Sluice: the node is not running',
    'Sluice: the node does not answer',
    expect.stringMatching(
      /^One swap is open\. 25,000 sats of this node are locked\. While Sluice is closed it makes no claim/,
    ),
    expect.stringMatching(/^The node does not say whether swaps are open\./),
  ]);
});

let attendance: TrayMonitor | null;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  attendance?.stop();
  vi.useRealTimers();
});

test('follows a swap from open to over by events and by the minute, and says what is new once', async () => {
  const states: TrayState[] = [];
  const notices: unknown[] = [];
  let open: OwnSwap[] = [swap('waiting')];
  let over: OwnSwap | null = null;
  const engine = {
    dispatch: async (route: string) => ({
      status: 200,
      body:
        route === 'ownerStatus'
          ? { open_swaps: open.length, at_risk_sats: 0, paused: null }
          : route === 'takerSwaps'
            ? { swaps: open }
            : over,
    }),
  } as unknown as Engine;
  attendance = openTrayMonitor({
    engine: () => engine,
    show: (face) => states.push(face),
    notify: (notice) => notices.push(notice),
    everyMs: 60_000,
    calmMs: 500,
  });
  attendance.look();
  await vi.advanceTimersByTimeAsync(0);
  open = [swap('danger')]; // Its date came near, and nothing happened.
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.advanceTimersByTimeAsync(60_000);
  open = [];
  over = swap('none', 'finished');
  attendance.onEvent({ type: 'taker', id: 's1', status: 'serverredeemed', at: 'done' });
  attendance.onEvent({ type: 'alert', time: 1, severity: 'act', sentence: 'Look at this.' });
  attendance.onEvent({ type: 'alert', time: 2, severity: 'act', sentence: 'Look at this.', count: 2 });
  await vi.advanceTimersByTimeAsync(500);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(notices).toEqual(['deadline-near', { alert: 'Look at this.' }, 'claimed']);
  expect(states.map((face) => [face.stakes?.open, face.needsYou])).toEqual([
    ...[
      [1, 0],
      [1, 1],
      [1, 1],
      [0, 0],
    ],
    [0, 0],
  ]);
});
