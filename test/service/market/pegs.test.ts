import { expect, test } from 'vitest';
import { refuse } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { namesChain, onChain, type Direction } from '../../../engine/service/directions/direction.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { stopped } from '../../../engine/service/limits/limits.ts';
import { createPegs, type PegSource } from '../../../engine/service/market/pegs.ts';
import { alertName } from '../../../engine/runtime/alert-names.ts';
import { memoryLog } from '../../runtime/support.ts';
import { openStore } from '../../store/support.ts';

const network = 'evm:137';

/** A guard over one chain, whose prices and clock the test moves; read once a minute. */
function guard() {
  const state = { now: 1_760_000_000, pegged: 100_000, bitcoin: 100_000, away: false };
  const alerts: string[] = [];
  const { store } = openStore();
  const started = () =>
    createPegs({
      clock: { now: () => ({ wall: unix(state.now), bitcoin: { mtp: null, height: null } }) } as never,
      alert: (_, sentence) => void alerts.push(sentence),
      log: memoryLog().log,
      store,
    });
  let pegs = started();
  const say = (what: 'pegged' | 'bitcoin') => async () =>
    state.away ? Promise.reject(new Error('it is away')) : state[what];
  const prices = { pegged: say('pegged'), bitcoin: say('bitcoin') };
  let source: PegSource = { name: 'as it was set', boundBps: 100, ...prices };
  return {
    state,
    alerts,
    closed: () => pegs.closed(network),
    restart: () => void (pegs = started()),
    /** The owner saved settings: the source is made anew. */
    set: (boundBps: number) =>
      void (source = { name: boundBps === 100 ? 'as it was set' : 'otherwise', boundBps, ...prices }),
    async minutes(count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        state.now += 60;
        await pegs.read(new Map([[network, source]]));
      }
    },
  };
}

/** It lost its peg, and comes near it again: within the bound, and not within half of it. */
async function comesNear() {
  const made = guard();
  await made.minutes(1);
  made.state.pegged = 97_000;
  await made.minutes(11);
  made.state.pegged = 99_200;
  return made;
}

test('fault 105, evm: a node that starts again knows that the token lost its peg, however often', async () => {
  const { state, alerts, closed, restart, minutes } = await comesNear();
  const says: unknown[] = [];
  for (let i = 0; i < 5; i++) {
    restart();
    await minutes(2);
    says.push(closed()?.refusal);
  }
  state.pegged = 99_600;
  await minutes(20);
  restart();
  await minutes(20);
  says.push(closed()?.refusal);
  expect(says).toEqual(Array.from({ length: 6 }, () => 'unavailable'));
  await minutes(11);
  expect([closed(), alerts.at(-1)?.includes('go on')]).toEqual([null, true]);
  restart();
  state.pegged = 99_200;
  await minutes(1);
  expect(closed()).toBeNull();
});

test('fault 105, evm: settings that are saved make no peg, unless it is the peg’s that the owner changed', async () => {
  const { closed, set, minutes, restart } = await comesNear();
  set(100);
  await minutes(2);
  expect(closed()?.refusal).toBe('unavailable');
  set(300);
  await minutes(1);
  expect(closed()).toBeNull();
  restart();
  await minutes(1);
  expect(closed()).toBeNull();
});

test('fault 105, evm: a clock that is set back keeps no lost peg open, and no old word young', async () => {
  const { state, closed, minutes } = guard();
  await minutes(1);
  state.pegged = 97_000;
  await minutes(5);
  state.now -= 86_400;
  await minutes(7);
  expect(closed()?.sentence).toMatch(/not worth a bitcoin/);
  state.pegged = 100_000;
  await minutes(31);
  expect(closed()).toBeNull();
  state.away = true;
  state.now -= 86_400;
  await minutes(1);
  expect(closed()?.sentence).toMatch(/not known now/);
});

test('fault 69, evm: a token that lost its peg gets no new swaps, and the owner hears the figures', async () => {
  const { state, alerts, closed, minutes } = guard();
  await minutes(1);
  expect([closed(), alerts]).toEqual([null, []]);
  state.pegged = 97_000;
  await minutes(10);
  expect(closed()).toBeNull();
  await minutes(1);
  expect(closed()).toMatchObject({ refusal: 'unavailable' });
  expect(alerts).toEqual([
    'New swaps over the pegged token of evm:137 stop: its 30-minute mean is 97000, a bitcoin costs ' +
      '100000, 3.00 % apart; the bound is 1.00 % (evm.peg.boundBps). Open swaps go on.',
  ]);
  state.pegged = 99_800;
  await minutes(31);
  expect([closed(), ...alerts.map((sentence) => alertName(null, sentence))]).toEqual([null, 'peg-apart', 'peg-back']);
});

test('fault 69, evm: a source that is silent stops new swaps, and says so once', async () => {
  const { state, alerts, closed, minutes } = guard();
  await minutes(1);
  state.away = true;
  await minutes(10);
  expect(closed()).toBeNull();
  await minutes(5);
  expect(closed()?.sentence).toContain('is not known now');
  expect(alerts).toHaveLength(1);
  state.away = false;
  await minutes(1);
  expect(closed()).toBeNull();
});

test('a chain that nobody watches is closed for nothing', () => {
  expect(guard().closed()).toBeNull();
});

test('until the first word nothing is begun', async () => {
  const { state, alerts, closed, minutes } = guard();
  state.away = true;
  await minutes(1);
  expect([closed()?.refusal, alerts]).toEqual(['unavailable', []]);
});

test('fault 69, evm: a lost peg closes every direction over its chain, both ways, and no other', () => {
  const pegLost = refuse('unavailable', 'its pegged token is not worth a bitcoin');
  const context = {
    runtime: { guard: { paused: () => null, closed: () => null } },
    config: { network: 'regtest' },
    networks: { closed: () => null, feeReserve: () => ({ held: null, total: 0n }), bitcoinRate: () => 5 },
    markets: { gas: () => () => sats(1), closed: (of: string) => (of === network ? pegLost : null) },
    live: () => true,
  } as unknown as ServiceContext;
  const all: readonly Direction[] = directions.all;
  const over = (chain: `evm:${number}`) =>
    all.filter(namesChain).map((direction) => stopped(context, onChain(direction, chain)));
  const named = all.filter(namesChain);
  expect(named.length).toBeGreaterThan(0);
  expect([over(network), over('evm:1')]).toEqual([named.map(() => pegLost), named.map(() => null)]);
  const others = all.filter((one) => !namesChain(one));
  expect(others.length).toBeGreaterThan(0);
  expect(others.map((direction) => stopped(context, direction))).toEqual(others.map(() => null));
});

test('a price that nobody can read stops new swaps, and its owner is told so, and when that is over', async () => {
  const { state, alerts, closed, minutes } = guard();
  await minutes(1);
  state.away = true;
  await minutes(60);
  expect(closed()?.sentence).toMatch(/not known now/);
  state.away = false;
  await minutes(1);
  expect(closed()).toBeNull();
  expect(alerts.map((sentence) => alertName(null, sentence))).toEqual(['peg-unread', 'peg-back']);
});
