import { expect, test } from 'vitest';
import { refuse } from '../../../engine/domain/errors.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { ServiceContext } from '../../../engine/service/context.ts';
import { namesChain, onChain, type Direction } from '../../../engine/service/directions/direction.ts';
import { directions } from '../../../engine/service/directions/directions.ts';
import { stopped } from '../../../engine/service/limits.ts';
import { createPegs, type PegSource } from '../../../engine/service/market/pegs.ts';
import { memoryLog } from '../../runtime/support.ts';

const network = 'evm:137';

/** A guard over one chain, whose prices and clock the test moves; read once a minute. */
function guard() {
  const state = { now: 1_760_000_000, pegged: 100_000, bitcoin: 100_000, away: false };
  const alerts: string[] = [];
  const pegs = createPegs({
    clock: { now: () => ({ wall: unix(state.now), bitcoin: { mtp: null, height: null } }) } as never,
    alert: (_, sentence) => void alerts.push(sentence),
    log: memoryLog().log,
  });
  const say = (what: 'pegged' | 'bitcoin') => async () =>
    state.away ? Promise.reject(new Error('it is away')) : state[what];
  const source: PegSource = { boundBps: 100, pegged: say('pegged'), bitcoin: say('bitcoin') };
  return {
    state,
    alerts,
    pegs,
    async minutes(count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        state.now += 60;
        await pegs.read(new Map([[network, source]]));
      }
    },
  };
}

test('fault 69, evm: a token that lost its peg gets no new swaps, and the owner hears the figures', async () => {
  const { state, alerts, pegs, minutes } = guard();
  await minutes(1);
  expect([pegs.closed(network), alerts]).toEqual([null, []]);
  state.pegged = 97_000;
  await minutes(10);
  expect(pegs.closed(network)).toBeNull();
  await minutes(1);
  expect(pegs.closed(network)).toMatchObject({ refusal: 'unavailable' });
  expect(alerts).toEqual([
    'New swaps over the pegged token of evm:137 stop: in the mean of half an hour it costs 97000 and a bitcoin 100000, 3.00 % apart; the bound is 1.00 % (evm.peg.boundBps). What is open goes on.',
  ]);
  state.pegged = 99_800;
  await minutes(31);
  expect([pegs.closed(network), alerts.length, alerts[1]?.includes('go on')]).toEqual([null, 2, true]);
});

test('fault 69, evm: a source that is silent stops new swaps, and says so once', async () => {
  const { state, alerts, pegs, minutes } = guard();
  await minutes(1);
  state.away = true;
  await minutes(10);
  expect(pegs.closed(network)).toBeNull();
  await minutes(5);
  expect(pegs.closed(network)?.sentence).toContain('is not known now');
  expect(alerts).toHaveLength(1);
  state.away = false;
  await minutes(1);
  expect(pegs.closed(network)).toBeNull();
});

test('a chain that nobody watches is closed for nothing', async () => {
  const { pegs } = guard();
  await pegs.read(new Map());
  expect(pegs.closed(network)).toBeNull();
});

test('until the first word nothing is begun', async () => {
  const { state, alerts, pegs, minutes } = guard();
  state.away = true;
  await minutes(1);
  expect([pegs.closed(network)?.refusal, alerts]).toEqual(['unavailable', []]);
});

test('fault 69, evm: a lost peg closes every direction over its chain, both ways, and no other', () => {
  const pegLost = refuse('unavailable', 'its pegged token is not worth a bitcoin');
  const context = {
    runtime: { guard: { paused: () => null } },
    networks: { closed: () => null, feeReserve: () => ({ held: null, total: 0n }), bitcoinRate: () => 5 },
    markets: { gas: () => () => sats(1), closed: (of: string) => (of === network ? pegLost : null) },
  } as unknown as ServiceContext;
  const all: readonly Direction[] = directions.all;
  const over = (chain: `evm:${number}`) =>
    all.filter(namesChain).map((direction) => stopped(context, onChain(direction, chain)));
  expect(over(network)).toEqual([pegLost, pegLost, pegLost]);
  expect(over('evm:1')).toEqual([null, null, null]);
  expect(all.filter((one) => !namesChain(one)).map((direction) => stopped(context, direction))).toEqual([
    null,
    null,
    null,
  ]);
});
