import { afterEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { evmOf, takerAccountsOf } from '../../engine/runtime/ports.ts';
import type { PaidLeg } from '../../engine/taker/halves/bitcoin/fund/terms.ts';
import type { ArkadeLeg, Deal, Leg } from '../../engine/taker/terms.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { seedOf } from '../support/node.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { startWorld } from '../support/world.ts';
import { loseDatabase, only, patient, restored } from './lost.ts';
import { startPair, takerSeed, type Pair } from './pair.ts';

let pair: Pair;
let chain: EvmWorld | null = null;
afterEach(async () => {
  await pair.stop();
  await chain?.stop();
  chain = null;
});
vi.setConfig({ testTimeout: 180_000 });

const hour = 3_600;
const amount = 50_000n;
/** What the taker's provider is asked by. */
const { userXpub } = createKeys(seedOf(takerSeed), 'regtest');
const eventually = { timeout: 90_000 };

async function withBitcoin(): Promise<{ deal: Deal<PaidLeg, ArkadeLeg>; id: string }> {
  pair = await startPair({
    provider: { bitcoinWallet: true, ...patient.provider },
    taker: { bitcoinWallet: true, ...patient.taker },
  });
  const id = await pair.fromBitcoin(amount);
  return { id, deal: dealOf(id) as Deal<PaidLeg, ArkadeLeg> };
}

function dealOf(id: string) {
  const { deal } = pair.taker.runtime.workingSet.find(id)?.row.progress as TakerProgress;
  if (deal === undefined) throw new Error('there is no deal');
  return deal;
}

async function payOnChain({ source }: Deal<PaidLeg, ArkadeLeg>): Promise<void> {
  pair.world.bitcoin.faucet(source.script, source.amount);
  await pair.world.mine(1);
}

async function minedUntil(id: string, state: string): Promise<void> {
  await expect
    .poll(async () => {
      if (pair.taker.at(id) !== state) await pair.world.mine(1);
      return pair.taker.at(id);
    }, eventually)
    .toBe(state);
}

test('from Bitcoin: what was paid before is seen on the chain, and the provider’s coin is claimed', async () => {
  const { deal } = await withBitcoin();
  await loseDatabase(pair, async () => {
    await payOnChain(deal);
    await pair.provider.until(deal.swapId, 'locked');
  });
  const again = await only(pair);
  await minedUntil(again, 'claimed');
  expect(await pair.balance()).toBe(amount);
});

test('from Bitcoin: a provider that is gone by then keeps nothing of it', async () => {
  const { deal } = await withBitcoin();
  const page = await pair.provider.asProvider(userXpub).recover(0);
  await loseDatabase(pair, () => pair.provider.kill());
  await payOnChain(deal);
  pair.tampered.recover = async () => page;
  const again = await only(pair);
  await minedUntil(again, 'funded');
  await pair.world.advance(deal.source.htlc.refundLocktime - pair.world.now() + 2 * hour);
  await pair.world.mine(12);
  await minedUntil(again, 'done');
  expect(pair.taker.taker.swap(again)?.outcome).toBe('returned');
});

test('from Bitcoin: a provider that now says a tenth was agreed does not get the secret for that', async () => {
  const { deal } = await withBitcoin();
  await loseDatabase(pair, async () => {
    await payOnChain(deal);
    await pair.provider.until(deal.swapId, 'locked');
  });
  pair.tampered.recover = async (start) => {
    const page = await pair.provider.asProvider(userXpub).recover(start);
    return page && { ...page, swaps: page.swaps.map((swap) => ({ ...(swap as object), ...tenth })) };
  };
  const tenth = {
    source_amount: '5100',
    asset_amount: 5_100,
    target_amount: '5000',
    sats_receive: 5_000,
    fee_sats: 100,
  };
  const again = await only(pair);
  await expect
    .poll(() => pair.taker.taker.swap(again)?.detail, eventually)
    .toMatch(/^More was paid for this swap than its provider says now/);
  expect([pair.taker.at(again), await pair.balance()]).toEqual(['funded', 0n]);
});

/** `unlisted`: a token that is none of the taker's. */
async function withEvm(unlisted: string | null = null): Promise<EvmWorld> {
  const world = startWorld();
  const evm = await startEvmWorld(() => world.now());
  chain = evm;
  const tokens = evm.endpoints.tokens.filter(({ symbol }) => symbol !== unlisted);
  pair = await startPair({
    world,
    taker: { evm: { ...evm, endpoints: { ...evm.endpoints, tokens } }, bitcoinWallet: true, ...patient.taker },
    provider: { evm, bitcoinWallet: true, ...patient.provider },
  });
  return evm;
}

async function open(
  direction: 'arkade-evm' | 'bitcoin-evm' | 'evm-lightning',
  invoice: string | null,
  token: EvmAddress | null = null,
): Promise<string> {
  const created = await pair.taker.taker.create({
    direction,
    amount: sats(amount),
    invoice,
    evm: {
      chainId: 137,
      token,
      destination: invoice === null ? asEvmAddress(fromHex('11'.repeat(20))) : null,
      gasless: true,
    },
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

const address = (text: string) => asEvmAddress(fromHex(text.slice(2).toLowerCase()));
const tokenOf = (evm: EvmWorld, symbol = 'WBTC') =>
  evm.endpoints.tokens.find((token) => token.symbol === symbol)?.address ?? '';

/** Tokens on the taker's own account of the seed. */
function ownTokens(evm: EvmWorld, symbol?: string): Promise<bigint> {
  const account = takerAccountsOf(pair.taker.runtime.ports).accountOf({ scheme: 'wallet', index: 0 });
  return evmOf(pair.taker.ports, evmNetworkOfWorld).balance(address(tokenOf(evm, symbol)), account);
}

test('to an EVM chain: what the provider locked is claimed, to the account of the seed', async () => {
  const evm = await withEvm();
  const id = await open('arkade-evm', null);
  const { pay, provider_swap_id, get } = pair.taker.taker.swap(id)!;
  await loseDatabase(pair, async () => {
    pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
    await pair.provider.until(provider_swap_id ?? '', 'locked');
  });
  const again = await only(pair);
  await pair.taker.until(again, 'claimed', 'done');
  expect(await ownTokens(evm)).toBe(BigInt(get.amount));
});

test('to an EVM chain: a token of an exchange arrives as its record has it', async () => {
  const evm = await withEvm();
  const id = await open('arkade-evm', null, address(tokenOf(evm, 'USDC')));
  const { pay, provider_swap_id, get } = pair.taker.taker.swap(id)!;
  await loseDatabase(pair, async () => {
    pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
    await pair.provider.until(provider_swap_id ?? '', 'locked');
  });
  const again = await only(pair);
  await pair.taker.until(again, 'claimed', 'done');
  expect(await ownTokens(evm, 'USDC')).toBeGreaterThanOrEqual(BigInt(get.least ?? '0'));
});

/** A swap into the token of the locks, restored by a record that says what its provider likes. */
async function restoredAs(change: (record: Record<string, unknown>) => object): Promise<EvmWorld> {
  const evm = await withEvm('USDC');
  const id = await open('arkade-evm', null);
  const { pay, provider_swap_id } = pair.taker.taker.swap(id)!;
  await loseDatabase(pair, async () => {
    pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
    await pair.provider.until(provider_swap_id ?? '', 'locked');
  });
  pair.tampered.recover = async (start) => {
    const page = await pair.provider.asProvider(userXpub).recover(start);
    return page && { ...page, swaps: page.swaps.map((swap) => change(swap as Record<string, unknown>)) };
  };
  const again = await only(pair);
  await pair.taker.until(again, 'claimed', 'done');
  return evm;
}

test('fault 112, evm: a restored swap is exchanged for no token that is none of this node’s', async () => {
  let locked = 0n;
  const evm = await restoredAs((record) => {
    locked = BigInt(String(record['evm_expected_sats']));
    const target = { ...(record['target_token'] as object), token_id: tokenOf(chain!, 'USDC'), decimals: 6 };
    return { ...record, target_token: target, target_amount: '1' };
  });
  expect([await ownTokens(evm), await ownTokens(evm, 'USDC')]).toEqual([locked, 0n]);
});

test('fault 112, evm: a restored exchange has the least that this node’s own brings', async () => {
  const evm = await withEvm();
  const id = await open('arkade-evm', null, address(tokenOf(evm, 'USDC')));
  const { get } = pair.taker.taker.swap(id)!;
  const page = await pair.provider.asProvider(userXpub).recover(0);
  await loseDatabase(pair);
  pair.tampered.recover = async () =>
    page && { ...page, swaps: page.swaps.map((swap) => ({ ...(swap as object), target_amount: '1' })) };
  const again = await only(pair);
  expect(BigInt(pair.taker.taker.swap(again)?.get.least ?? '0') * 100n).toBeGreaterThan(BigInt(get.amount) * 98n);
});

test('from an EVM chain: tokens that a signature locked come back, and nothing is signed a second time', async () => {
  const evm = await withEvm();
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const id = await open('evm-lightning', bolt11);
  const { pay } = pair.taker.taker.swap(id)!;
  const units = BigInt(pay?.amount ?? '0');
  await evm.give(pay?.text ?? '', `0x${'00'.repeat(20)}`, 10n ** 18n);
  await evm.give(pay?.text ?? '', tokenOf(evm), 2n * units);
  await pair.taker.until(id, 'funded');
  await loseDatabase(pair);
  const again = await only(pair);
  await pair.taker.until(again, 'funded');
  pair.world.lightning.release(toHex(hash), 'fails');
  await pair.taker.until(again, 'done');
  expect([pair.taker.taker.swap(again)?.outcome, await ownTokens(evm)]).toEqual(['returned', 2n * units]);
});

/** Swaps that we never made, each with an invoice of its provider's and our account. */
function madeUp(like: object): object[] {
  return Array.from({ length: 60 }, (_, place) => {
    const { bolt11, hash } = pair.world.invoice(amount);
    const named = { client_lightning_invoice: bolt11, hash_lock: `0x${toHex(hash)}` };
    return { ...like, ...named, id: `made-up-${place}` };
  });
}

test('fault 116, evm: made-up swaps with our account are a few, and hide no lock of ours that stands', async () => {
  const evm = await withEvm();
  const id = await open('evm-lightning', pair.world.invoice(amount, { hold: true }).bolt11);
  const { pay } = pair.taker.taker.swap(id)!;
  await evm.give(pay?.text ?? '', `0x${'00'.repeat(20)}`, 10n ** 18n);
  await evm.give(pay?.text ?? '', tokenOf(evm), BigInt(pay?.amount ?? '0'));
  await pair.taker.until(id, 'funded');
  const page = await pair.provider.asProvider(userXpub).recover(0);
  const made = madeUp(page?.swaps[0] as object);
  await loseDatabase(pair);
  pair.tampered.recover = async () => page && { ...page, swaps: [...made, ...page.swaps] };
  const { counts } = await restored(pair);
  expect(counts).toEqual({ reopened: 41, held: 0, over: 0, refused: 20, later: 0 });
});

test('fault 116, evm: and they hide no bitcoin that we paid for tokens, which comes back', async () => {
  await withEvm();
  await open('evm-lightning', pair.world.invoice(amount, { hold: true }).bolt11);
  const { source } = dealOf(await open('bitcoin-evm', null)) as Deal<PaidLeg, Leg>;
  const page = await pair.provider.asProvider(userXpub).recover(0);
  const made = madeUp(page?.swaps.find((swap) => 'client_lightning_invoice' in (swap as object)) as object);
  await loseDatabase(pair, () => pair.provider.kill());
  pair.world.bitcoin.faucet(source.script, source.amount);
  await pair.world.mine(1);
  pair.tampered.recover = async () => page && { ...page, swaps: [...made, ...page.swaps] };
  const { swaps: rows } = await restored(pair);
  const again = rows.find(({ direction }) => direction === 'bitcoin-evm');
  expect(again?.outcome).toBe('reopened');
  const id = again?.id ?? '';
  await minedUntil(id, 'funded');
  await pair.world.advance(source.htlc.refundLocktime - pair.world.now() + 2 * hour);
  await pair.world.mine(12);
  await minedUntil(id, 'done');
  expect(pair.taker.taker.swap(id)?.outcome).toBe('returned');
});
