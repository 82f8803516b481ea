import { afterEach, expect, test } from 'vitest';
import { toHex } from '../../engine/domain/hex.ts';
import { outpointKey, type Outpoint } from '../../engine/domain/outpoint.ts';
import { readTx, witnessItems } from '../../engine/legs/psbt.ts';
import { vhtlcScript, type VhtlcLeaf } from '../../engine/legs/arkade/script.ts';
import type { Deal } from '../../engine/taker/terms.ts';
import { legOn, startPair, type Pair } from './pair.ts';

let pair: Pair;
afterEach(() => pair.stop());

const amount = 100_000n;

function dealOf(id: string): Deal {
  return (pair.taker.runtime.workingSet.find(id)?.row.progress as unknown as { deal: Deal }).deal;
}

async function unroll(coin: Outpoint): Promise<void> {
  pair.world.operator.faults.unroll(outpointKey(coin));
  await pair.world.mine(1);
}

/** By which leaf the coin is spent on the chain. */
function leafOf(id: string, coin: Outpoint): VhtlcLeaf | undefined {
  const bytes = pair.world.bitcoin.transaction(pair.world.bitcoin.spend(coin)?.txid ?? '')?.tx.bytes;
  const tx = bytes === undefined ? null : readTx(bytes);
  const script = tx && witnessItems(tx, 0).at(-2);
  const leaves = Object.entries(vhtlcScript(legOn(dealOf(id), 'arkade').vhtlc).leaf) as [
    VhtlcLeaf,
    { script: Uint8Array },
  ][];
  return leaves.find(([, leaf]) => script !== null && toHex(leaf.script) === toHex(script ?? new Uint8Array()))?.[0];
}

/** Blocks come until it is so. */
async function mineUntil(reached: () => boolean, ms = 40_000): Promise<void> {
  await expect
    .poll(
      async () => {
        if (!reached()) await pair.world.mine(1);
        return reached();
      },
      { timeout: ms, interval: 500 },
    )
    .toBe(true);
}

test('a coin of ours that somebody took to the chain is paid for: the claim there is the proof', async () => {
  pair = await startPair();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  const { address, provider_swap_id } = await pair.listed(id);
  const coin = pair.world.faucet(address ?? '', dealOf(id).source.amount);
  await pair.provider.until(provider_swap_id ?? '', 'paying');
  await unroll(coin);
  pair.world.lightning.release(toHex(hash), 'settles');
  await pair.provider.until(provider_swap_id ?? '', 'claiming');
  await pair.world.advance(legOn(dealOf(id), 'arkade').vhtlc.claimDelay + 600);
  await mineUntil(() => pair.provider.at(provider_swap_id ?? '') === 'claimed');
  await pair.taker.until(id, 'done');
  expect([leafOf(id, coin), (await pair.listed(id)).status]).toEqual(['unilateral-claim', 'serverredeemed']);
});

test('a coin of ours that nobody pays for comes back on the chain, and nobody is asked', async () => {
  pair = await startPair();
  const id = await pair.toLightning(pair.world.invoice(amount).bolt11, amount);
  const coin = pair.world.faucet((await pair.listed(id)).address ?? '', dealOf(id).source.amount);
  pair.world.operator.faults.unroll(outpointKey(coin));
  await pair.world.mine(1);
  const { vhtlc } = legOn(dealOf(id), 'arkade');
  await pair.taker.until(id, 'funded', 'asking', 'refunding');
  await pair.world.advance(vhtlc.refundLocktime - pair.world.now() + 600);
  await pair.taker.until(id, 'refunding');
  await pair.world.advance(vhtlc.refundWithoutReceiverDelay);
  await mineUntil(() => pair.taker.at(id) === 'done');
  expect([leafOf(id, coin), (await pair.listed(id)).status]).toEqual([
    'unilateral-refund-without-receiver',
    'clientrefunded',
  ]);
});

test('our claim goes on the chain when the coin went there between submit and finalize', async () => {
  let coin: Outpoint | null = null;
  let isOnChain = false;
  pair = await startPair({
    taker: {
      onBoundary(what, moment) {
        if (moment !== 'before') return;
        if (what === 'ark.submitTx') {
          // While nobody has seen the claim: a provider that is quicker is done with the swap by the next step.
          const [lock] = pair.provider.runtime.workingSet.all();
          coin ??= (lock?.row.progress as { lock?: Outpoint } | undefined)?.lock ?? null;
        } else if (what === 'ark.finalizeTx' && coin !== null && !isOnChain) {
          isOnChain = true;
          pair.world.operator.faults.unroll(outpointKey(coin));
        }
      },
    },
  });
  const id = await pair.fromLightning(amount);
  pair.world.pay((await pair.listed(id)).invoice ?? '');
  await pair.taker.until(id, 'claiming');
  await expect.poll(() => isOnChain, { timeout: 60_000 }).toBe(true);
  await pair.world.mine(1);
  await expect
    .poll(() => pair.taker.store.transactions.of(id).some(({ state }) => state === 'prepared'), { timeout: 60_000 })
    .toBe(true);
  await pair.world.advance(legOn(dealOf(id), 'arkade').vhtlc.claimDelay + 600);
  await mineUntil(() => pair.taker.at(id) === 'claimed');
  expect(leafOf(id, coin as unknown as Outpoint)).toBe('unilateral-claim');
});
