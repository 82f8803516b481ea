import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { vhtlcScript } from '../../engine/legs/arkade/script.ts';
import type { VhtlcTerms } from '../../engine/legs/arkade/terms.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import type { ExitPathCoin } from '../../engine/rescue/exit-paths.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { anyFailure } from '../support/failure.ts';
import { eventually } from '../support/scene.ts';
import { startPair, takerSeed, type Pair } from '../taker/pair.ts';
import { broughtBy, bundleIn, forGood, leafOf, runRescue, type Left } from './rescuer.ts';

/*
 * Of a client nothing is left but its words and a bundle; its provider is gone, and so is the Arkade operator, before
 * anything of its VHTLC came to the chain.
 */

vi.setConfig({ testTimeout: 120_000 });

const amount = 50_000n;

let pair: Pair;
afterEach(() => pair.stop());

/** Whatever the client sends to the operator is lost on the way. */
async function start(): Promise<void> {
  pair = await startPair({
    provider: { bitcoinWallet: true, untilMs: 60_000 },
    taker: {
      bundle: true,
      bitcoinWallet: true,
      untilMs: 60_000,
      onBoundary(what, moment) {
        if (what === 'ark.submitTx' && moment === 'before') throw anyFailure('away', 'safe', 'nobody hears it');
      },
    },
  });
  await deposit({ world: pair.world, node: pair.taker }, 60_000, 60_000, 60_000, 60_000);
}

interface Lost {
  readonly left: Left;
  readonly coin: ExitPathCoin;
  readonly terms: VhtlcTerms;
}

/** The way of the VHTLC to the chain is in the bundle; then all three are gone. */
async function lose(shown: boolean): Promise<Lost> {
  const { taker, world, provider } = pair;
  const { folder } = taker;
  await world.mine(1);
  await eventually(async () => {
    await taker.exits.look();
    if (!existsSync(join(folder, bundleName))) return false;
    const { exitPaths, swaps } = bundleIn(folder, takerSeed);
    return exitPaths.coins.some(({ under }) => under === null) && swaps[0]?.shown === shown;
  }, 'the way is in the bundle');
  const left = { world, folder: taker.nextFolder, seed: takerSeed };
  await provider.kill();
  await taker.kill();
  world.operator.faults.away();
  const { exitPaths, swaps } = bundleIn(left.folder, takerSeed);
  const coin = exitPaths.coins.find(({ under }) => under === null);
  const leg = swaps.flatMap(({ claim, refund }) => [claim, refund]).find((one) => one?.on === 'arkade');
  if (coin === undefined || leg?.on !== 'arkade') throw new Error('the bundle has no VHTLC');
  return { left, coin, terms: leg.terms };
}

/** Brought to the chain, refused before its delay is over, taken after it, buried. */
async function takenAfter(delay: number, { left, coin }: Lost) {
  await broughtBy(left, coin.outpoint, forGood);
  const early = await runRescue(left, true, forGood);
  const before = leafOf(left.world, coin.outpoint);
  await left.world.advance(delay + 600);
  await runRescue(left, true, forGood);
  await left.world.mine(6);
  const last = await runRescue(left, true, forGood);
  return {
    early: [before, /its delay of \d+ seconds has to pass/.test(early.lines.join('\n'))],
    leaf: leafOf(left.world, coin.outpoint),
    last: last.outcome,
  };
}

test('what a client locked comes back by the leaf that is its own, and not before the locktime', async () => {
  await start();
  const { bolt11 } = pair.world.invoice(amount, { hold: true });
  const id = await pair.toLightning(bolt11, amount);
  const { address, amount_sats } = await pair.listed(id);
  await pair.provider.kill();
  pair.world.faucet(address ?? '', BigInt(amount_sats));
  await pair.taker.until(id, 'funded');
  const lost = await lose(false);
  const { left, coin, terms } = lost;
  const early = await runRescue(left, true, forGood);
  expect([early.outcome, left.world.bitcoin.mempool()]).toEqual(['later', []]);
  await left.world.advance(terms.refundLocktime - left.world.now() + 7_200);
  await left.world.mine(12);
  expect(await takenAfter(terms.refundWithoutReceiverDelay, lost)).toEqual({
    early: [null, true],
    leaf: vhtlcScript(terms).leaf['unilateral-refund-without-receiver'].script,
    last: 'done',
  });
  expect(left.world.bitcoin.transaction(coin.outpoint.txid)?.height).not.toBeNull();
});

test('what a client was given over Lightning is claimed with the secret that may have left it', async () => {
  await start();
  const id = await pair.fromLightning(amount);
  const { invoice } = await pair.listed(id);
  pair.world.pay(invoice ?? '');
  await pair.taker.until(id, 'claiming');
  const lost = await lose(true);
  expect(await takenAfter(lost.terms.claimDelay, lost)).toEqual({
    early: [null, true],
    leaf: vhtlcScript(lost.terms).leaf['unilateral-claim'].script,
    last: 'done',
  });
});

test('what a client was given for bitcoin is claimed, and its bitcoin left to the provider', async () => {
  await start();
  const id = await pair.fromBitcoin(amount);
  const { deal } = pair.taker.runtime.workingSet.find(id)?.row.progress as unknown as {
    deal: Deal<PaidLeg, ArkadeLeg>;
  };
  const { source } = deal;
  const paid = pair.world.bitcoin.faucet(source.script, source.amount);
  if (paid === null) throw new Error('the faucet pays nothing');
  await pair.world.mine(1);
  await pair.taker.until(id, 'claiming');
  const lost = await lose(true);
  const claimed = await takenAfter(lost.terms.claimDelay, lost);
  await lost.left.world.advance(locktimeOf(source.htlc) - lost.left.world.now() + 7_200);
  await lost.left.world.mine(12);
  const late = await runRescue(lost.left, true, forGood);
  expect([claimed, late.outcome, lost.left.world.bitcoin.spend(paid)]).toEqual([
    { early: [null, true], leaf: vhtlcScript(lost.terms).leaf['unilateral-claim'].script, last: 'done' },
    'done',
    undefined,
  ]);
});
