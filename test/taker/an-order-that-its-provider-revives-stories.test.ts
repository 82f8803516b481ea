import { afterEach, expect, test, vi } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats, tokenAmount } from '../../engine/domain/money.ts';
import type { SwapStatus } from '../../engine/domain/status.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

vi.setConfig({ testTimeout: 180_000 });

let pair: Pair;
let chain: EvmWorld;
afterEach(async () => {
  await pair?.stop();
  await chain?.stop();
});

const amount = 50_000n;
const coin = `0x${'00'.repeat(20)}`;

function swapOf(id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

const saidOf = (id: string) => (pair.taker.runtime.workingSet.find(id)?.row.progress as { said?: SwapStatus }).said;

/** A provider that says what it is told to, and somebody's order with it whose tokens are not there yet. */
async function order() {
  const world = startWorld();
  chain = await startEvmWorld(() => world.now());
  pair = await startPair({ world, taker: { evm: chain, without: [] }, provider: { evm: chain } });
  let word: SwapStatus = 'pending';
  let looks = 0;
  pair.tampered.status = async () => {
    looks += 1;
    return { status: word };
  };
  const { bolt11 } = world.invoice(amount, { hold: true });
  const created = await pair.taker.taker.create({
    direction: 'evm-lightning',
    amount: sats(amount),
    invoice: bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless: true },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  const { id } = created;
  await pair.taker.until(id, 'waiting');
  const { pay } = swapOf(id);
  return {
    id,
    bolt11,
    async says(next: SwapStatus): Promise<void> {
      word = next;
      await expect.poll(() => saidOf(id), { timeout: 60_000 }).toBe(next);
    },
    async revives(): Promise<void> {
      word = 'pending';
      const until = looks + 30;
      await expect.poll(() => looks >= until, { timeout: 60_000 }).toBe(true);
    },
    async bringsTokens(): Promise<void> {
      await chain.give(pay?.text ?? '', coin, 10n ** 18n);
      await chain.give(pay?.text ?? '', chain.endpoints.tokens[0]?.address ?? '', BigInt(pay?.amount ?? '0'));
    },
    state: () => [pair.taker.at(id), saidOf(id), pair.taker.store.journal.of(id).flatMap(({ effects }) => effects)],
  };
}

test('fault 270, evm: an order that its provider calls expired and pending again locks nothing', async () => {
  const { bolt11, says, revives, bringsTokens, state } = await order();
  await says('expired');
  await bringsTokens();
  const withdrawn = await pair.taker.service.owner.withdraw('lightning', {
    address: bolt11,
    amount: tokenAmount(amount),
    asset: null,
  });
  await revives();
  expect(withdrawn).toHaveProperty('id');
  expect(state()).toEqual(['waiting', 'expired', ['provider.create']]);
});

test('fault 277, evm: nor does one whose first signature ran out, for nobody relayed it', async () => {
  const { id, says, revives, bringsTokens, state } = await order();
  pair.tampered.fundOnEvm = async () => ({ txid: '4d'.repeat(32) });
  await bringsTokens();
  await pair.taker.until(id, 'funding');
  await says('expired');
  await pair.world.advance(22 * 60);
  await pair.taker.until(id, 'waiting');
  await pair.world.advance(2 * 60);
  await revives();
  expect(state()).toEqual(['waiting', 'expired', ['provider.create', 'provider.fund-evm']]);
});
