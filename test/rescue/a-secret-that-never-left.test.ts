import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import { anyFailure } from '../support/failure.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { eventually } from '../support/scene.ts';
import { butForFee, openSwap, pastLocktime, pay, stageOf, tokensOf, within, type Stage } from '../taker/by-half.ts';
import { takerSeed } from '../taker/pair.ts';
import { bundleIn, portsOf, runRescue, walletTotal, type Left } from './rescuer.ts';

/*
 * The provider's lock is there, and what the claim hangs on is away, so that nothing is signed and nobody has our
 * secret. Then the client's node is lost. Its provider leaves the lock where it is: whoever claims it once it may be
 * taken back shows what opens the other side.
 */

let stage: Stage;
afterEach(() => stage.stop());
vi.setConfig({ testTimeout: 180_000 });

const destination = asEvmAddress(fromHex('11'.repeat(20)));

const away = () => anyFailure('away', 'safe', 'nobody answers');

/** What was signed to claim by a swap of our own. */
function signedIn(progress: object): readonly string[] {
  const { target = {} } = progress as { target?: { spends?: readonly string[]; claimTxid?: string | null } };
  return [...(target.spends ?? []), ...(typeof target.claimTxid === 'string' ? [target.claimTxid] : [])];
}

/** The node dies while its claim waits, and is brought home once both locktimes are over. */
async function broughtHome(
  direction: 'bitcoin-arkade' | 'arkade-bitcoin' | 'arkade-evm',
  waitsFor: string | { readonly gasless: true } | { readonly signed: string },
) {
  stage = await stageOf([direction], { untilMs: 90_000, bundle: true });
  const { pair, chain } = stage;
  const isSigned = typeof waitsFor !== 'string' && 'signed' in waitsFor;
  const claims = () => [...pair.taker.runtime.workingSet.all()].flatMap(({ row: { progress } }) => signedIn(progress));
  await pair.restartTaker({
    onBoundary(what, moment) {
      if (moment !== 'before') return;
      if (what === waitsFor || (isSigned && what.startsWith(waitsFor.signed) && claims().length > 0)) throw away();
    },
  });
  const gasless = typeof waitsFor !== 'string' && 'gasless' in waitsFor;
  if (gasless) vi.spyOn(evmOf(pair.taker.ports, evmNetworkOfWorld), 'gasFees').mockRejectedValue(away());
  const opened = await openSwap(stage, direction, { destination, gasless });
  await pay(stage, opened);
  await within(stage, direction, [() => pair.taker.at(opened.id) === 'claiming', 'it is to be claimed']);
  const { folder, nextFolder } = pair.taker;
  await eventually(() => {
    const [entry] = existsSync(join(folder, bundleName)) ? bundleIn(folder, takerSeed).swaps : [];
    if (entry?.stored?.progress.at !== 'claiming') return false;
    return !isSigned || signedIn(entry.stored.progress).length > 0;
  }, 'it is in the bundle');
  const shown = bundleIn(folder, takerSeed).swaps.map((entry) => entry.shown);
  await pair.provider.kill();
  await pair.taker.kill();
  const left: Left = {
    world: pair.world,
    folder: nextFolder,
    seed: takerSeed,
    ...(chain === null ? {} : { evm: chain }),
  };
  await pastLocktime(stage, opened.deal);
  if (chain !== null) {
    const port = evmOf(pair.taker.ports, evmNetworkOfWorld);
    await eventually(async () => (await port.tip()).time > pair.world.now() - 60, 'the chain has a block after that');
  }
  const lines: string[] = [];
  for (let run = 0, outcome = 'later'; outcome !== 'done' && run < 10; run++) {
    const one = await runRescue(left);
    lines.push(...one.lines);
    outcome = one.outcome;
    await left.world.mine(1);
  }
  return { left, deal: opened.deal, lines, shown };
}

test('fault 160, arkade: a rescue shows no secret for a VHTLC that may be taken back', async () => {
  const { left, deal, lines } = await broughtHome('bitcoin-arkade', 'arkade.prepareClaim');
  expect(await walletTotal(left), lines.join('\n')).toBe(0n);
  const wallet = portsOf(left, bundleIn(left.folder, takerSeed)).bitcoinWallet;
  butForFee((await wallet?.balance([]))?.available ?? 0n, deal.source.amount);
});

test('fault 160, evm: a rescue shows no secret for a lock that may be taken back', async () => {
  const { left, deal, lines } = await broughtHome('arkade-evm', 'evm.simulate');
  expect(await tokensOf(stage, destination), lines.join('\n')).toBe(0n);
  expect(await walletTotal(left)).toBe(deal.source.amount);
});

test('fault 187, evm: a provider that was not asked to claim has no secret, and what was given comes back', async () => {
  const { left, deal, lines, shown } = await broughtHome('arkade-evm', { gasless: true });
  expect(await tokensOf(stage, destination), lines.join('\n')).toBe(0n);
  expect(await walletTotal(left)).toBe(deal.source.amount);
  expect(shown).toEqual([false]);
});

test('fault 295, bitcoin: a claim that was signed and never sent is no secret that is shown by a rescue', async () => {
  const { left, deal, lines, shown } = await broughtHome('arkade-bitcoin', { signed: 'bitcoin.' });
  expect(shown, lines.join('\n')).toEqual([false]);
  expect(await walletTotal(left), lines.join('\n')).toBe(deal.source.amount);
  const wallet = portsOf(left, bundleIn(left.folder, takerSeed)).bitcoinWallet;
  expect((await wallet?.balance([]))?.available).toBe(0n);
});

test('fault 295, arkade: a claim that was signed and never sent is no secret that is shown by a rescue', async () => {
  const { left, deal, lines, shown } = await broughtHome('bitcoin-arkade', { signed: 'arkade.submit' });
  expect(shown, lines.join('\n')).toEqual([false]);
  expect(await walletTotal(left), lines.join('\n')).toBe(0n);
  const wallet = portsOf(left, bundleIn(left.folder, takerSeed)).bitcoinWallet;
  butForFee((await wallet?.balance([]))?.available ?? 0n, deal.source.amount);
});
