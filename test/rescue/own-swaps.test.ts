import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { TakerSwap } from '../../engine/contract/taker-swap.ts';
import type { TakerSwapRequest } from '../../engine/contract/taker.ts';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { RescueEntry } from '../../engine/legs/rescue.ts';
import { bundleName } from '../../engine/rescue/keep.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal } from '../../engine/taker/terms.ts';
import { zero } from '../crash/support/chain-reader.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { anyFailure } from '../support/failure.ts';
import { eventually } from '../support/scene.ts';
import { startWorld } from '../support/world.ts';
import { silence, startPair, takerSeed, type Pair } from '../taker/pair.ts';
import { bundleIn, runRescue, sendAccountsAway, walletTotal, withoutHands, type Left } from './rescuer.ts';

/*
 * The node of a client is lost with all that it knew, and its provider never answers again: its words and a bundle are
 * left.
 */

const hour = 3_600;
const amount = 50_000n;
const destination = asEvmAddress(fromHex('11'.repeat(20)));

let pair: Pair;
let chain: EvmWorld | null = null;
afterEach(async () => {
  await pair.stop();
  await chain?.stop();
  chain = null;
});

async function start(withEvm: boolean): Promise<void> {
  const world = startWorld();
  chain = withEvm ? await startEvmWorld(() => world.now()) : null;
  const evm = chain === null ? {} : { evm: chain };
  pair = await startPair({
    world,
    provider: { ...evm, bitcoinWallet: true, untilMs: 60_000 },
    taker: { ...evm, bundle: true, bitcoinWallet: true, untilMs: 60_000 },
  });
}

async function open(request: Omit<TakerSwapRequest, 'provider'>): Promise<string> {
  const created = await pair.taker.taker.create({ ...request, provider: '' });
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

function swapOf(id: string): TakerSwap {
  const swap = pair.taker.taker.swap(id);
  if (swap === null || isRefusal(swap)) throw new Error('the swap is not listed');
  return swap;
}

function evm(): EvmWorld {
  if (chain === null) throw new Error('there is no EVM chain');
  return chain;
}

const pegged = () => evm().endpoints.tokens[0]?.address ?? '';
const addressOf = (text: string) => asEvmAddress(fromHex(text.slice(2).toLowerCase()));
const held = (account: string) =>
  evmOf(pair.provider.ports, evmNetworkOfWorld).balance(addressOf(pegged()), addressOf(account));

function payVhtlc(id: string): void {
  const { pay } = swapOf(id);
  pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
}

/** Waits until the bundle holds the swap, and nothing else. */
async function inBundle(holds: (entry: RescueEntry) => boolean): Promise<void> {
  const { folder } = pair.taker;
  await eventually(() => {
    const [entry, more] = existsSync(join(folder, bundleName)) ? bundleIn(folder, takerSeed).swaps : [];
    return entry !== undefined && more === undefined && holds(entry);
  }, 'it is in the bundle');
}

/** Both are gone; what is left of the client. */
async function lose(): Promise<Left> {
  const { nextFolder: folder } = pair.taker;
  await inBundle(() => true);
  await pair.provider.kill();
  await pair.taker.kill();
  return { world: pair.world, folder, seed: takerSeed, ...(chain === null ? {} : { evm: chain }) };
}

async function later(seconds: number): Promise<void> {
  await pair.world.advance(seconds);
  await pair.world.mine(12);
  if (chain !== null) {
    const port = evmOf(pair.provider.ports, evmNetworkOfWorld);
    await eventually(async () => (await port.tip()).time > pair.world.now() - 60, 'the chain has a block after that');
  }
}

const home = async () => walletTotal({ world: pair.world, seed: takerSeed });

describe('what was paid comes back alone, above its timelock and not before', { timeout: 90_000 }, () => {
  test.each(['before the node saw it', 'after it'])('Arkade to Lightning, paid %s', async (when) => {
    await start(false);
    const { bolt11 } = pair.world.invoice(amount, { hold: true });
    const id = await open({ direction: 'arkade-lightning', amount: sats(amount), invoice: bolt11 });
    const { pay } = swapOf(id);
    if (when === 'after it') {
      await pair.provider.kill();
      payVhtlc(id);
      await pair.taker.until(id, 'funded');
    }
    const left = await lose();
    if (when !== 'after it') pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
    const early = await runRescue(left);
    await later(60 * hour);
    const last = await withoutHands(left);
    expect([early.outcome, last.outcome, await home()]).toEqual(['later', 'done', BigInt(pay?.amount ?? '0')]);
    expect((await runRescue(left)).outcome).toBe('done');
  });

  test('Arkade to an EVM chain, whose lock nobody made', async () => {
    await start(true);
    const request = { direction: 'arkade-evm', amount: sats(amount), invoice: null } as const;
    const id = await open({ ...request, evm: { chainId: 137, token: null, destination, gasless: true } });
    await pair.provider.kill();
    payVhtlc(id);
    await pair.taker.until(id, 'funded');
    const left = await lose();
    const early = await runRescue(left);
    await later(40 * hour);
    const last = await withoutHands(left);
    expect([early.outcome, last.outcome, await home()]).toEqual(['later', 'done', amount]);
  });

  test('Bitcoin to Arkade, paid after the node was gone', async () => {
    await start(false);
    const id = await open({ direction: 'bitcoin-arkade', amount: sats(amount), invoice: null });
    const { deal } = pair.taker.runtime.workingSet.find(id)?.row.progress as unknown as {
      deal: Deal<PaidLeg, ArkadeLeg>;
    };
    const left = await lose();
    const coin = pair.world.bitcoin.faucet(deal.source.script, deal.source.amount);
    await pair.world.mine(1);
    const early = await runRescue(left);
    await later(locktimeOf(deal.source.htlc) - pair.world.now() + 2 * hour);
    await runRescue(left);
    await pair.world.mine(6);
    const last = await runRescue(left);
    expect([early.outcome, last.outcome, coin !== null && pair.world.bitcoin.spend(coin) !== undefined]).toEqual([
      'later',
      'done',
      true,
    ]);
  });

  test('an EVM chain to Lightning, by gas of the account that signed, and then all is sent away', async () => {
    await start(true);
    const { bolt11 } = pair.world.invoice(amount, { hold: true });
    const id = await open({
      direction: 'evm-lightning',
      amount: sats(amount),
      invoice: bolt11,
      evm: { chainId: 137, token: null, destination: null, gasless: false },
    });
    await pair.provider.kill();
    const { pay, give } = swapOf(id);
    const account = pay?.text ?? '';
    await evm().give(account, zero, 10n ** 18n);
    await evm().give(account, pegged(), BigInt(give.amount));
    await pair.taker.until(id, 'funded');
    const left = await lose();
    const early = await runRescue(left);
    expect([early.outcome, await held(account)]).toEqual(['later', 0n]);
    await later(60 * hour);
    const last = await runRescue(left, true, { poor: true });
    expect([last.outcome, await held(account)]).toEqual(['done', BigInt(give.amount)]);

    const to = { ...left, evm: evm() };
    expect((await sendAccountsAway(to, destination, false)).outcome).toBe('later');
    const sent = await sendAccountsAway(to, destination);
    expect([sent.outcome, await held(account), (await held(`0x${toHex(destination)}`)) >= BigInt(give.amount)]).toEqual(
      ['done', 0n, true],
    );
    expect(await sendAccountsAway(to, destination)).toEqual({ outcome: 'done', lines: [] });
  });
});

describe('a secret that has left us claims what it was given for', { timeout: 90_000 }, () => {
  test('the lock on an EVM chain, for its destination alone', async () => {
    await start(true);
    pair.tampered.claimOnEvm = silence;
    const id = await open({
      direction: 'arkade-evm',
      amount: sats(amount),
      invoice: null,
      evm: { chainId: 137, token: null, destination, gasless: true },
    });
    payVhtlc(id);
    await pair.taker.until(id, 'claiming');
    const { get } = swapOf(id);
    await inBundle(({ shown }) => shown);
    const left = await lose();
    const run = await runRescue(left);
    expect([run.outcome, await held(`0x${toHex(destination)}`)]).toEqual(['done', BigInt(get.amount)]);
    await later(40 * hour);
    expect([(await runRescue(left)).outcome, await home()]).toEqual(['done', 0n]);
  });

  test('the lock was taken back for good: then what was given for it comes back too', async () => {
    await start(true);
    pair.tampered.claimOnEvm = async () => refuse('forbidden', 'not today');
    const id = await open({
      direction: 'arkade-evm',
      amount: sats(amount),
      invoice: null,
      evm: { chainId: 137, token: null, destination, gasless: true },
    });
    pair.tampered.claimOnEvm = silence;
    payVhtlc(id);
    await pair.taker.until(id, 'claiming');
    await inBundle(({ shown }) => shown);
    const folder = pair.taker.nextFolder;
    await pair.taker.kill();
    const { provider_swap_id } = await theirs();
    await pair.world.advance(13 * hour);
    await pair.provider.until(provider_swap_id, 'returned');
    await pair.provider.kill();
    await later(30 * hour);
    const left: Left = { world: pair.world, folder, seed: takerSeed, evm: evm() };
    const run = await runRescue(left);
    expect([run.outcome, await home(), await held(`0x${toHex(destination)}`)]).toEqual(['done', amount, 0n]);

    async function theirs() {
      const [row] = pair.provider.store.swaps.page({ limit: 1 });
      if (row === undefined) throw new Error('the provider has no swap');
      return { provider_swap_id: row.id };
    }
  });

  test('the VHTLC of a payment over Lightning', async () => {
    await start(false);
    const id = await open({ direction: 'lightning-arkade', amount: sats(amount), invoice: null });
    const { get, pay } = swapOf(id);
    // Whatever it sends is lost on the way.
    await pair.restartTaker({
      onBoundary(what, moment) {
        if (what === 'ark.submitTx' && moment === 'before') throw anyFailure('away', 'safe', 'nobody hears it');
      },
    });
    pair.world.pay(pay?.text ?? '');
    await pair.taker.until(id, 'claiming');
    await inBundle(({ shown }) => shown);
    const left = await lose();
    const run = await runRescue(left);
    expect([run.outcome, await home()]).toEqual(['done', BigInt(get.sats ?? 0)]);
  });
});
