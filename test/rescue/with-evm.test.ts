import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiServer } from '../../engine/api/server.ts';
import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { ownLocks } from '../../engine/rescue/evm.ts';
import { asHash160, asPublicKey } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { buildHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import type { HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { serveLives } from '../crash/support/serve-lives.ts';
import { evmToLightning, fundAlone, type FromEvm } from '../stories/client/from-evm.ts';
import { ask, text, whole } from '../stories/client/http.ts';
import { evmToBitcoin, type ToBitcoin } from '../stories/client/to-bitcoin.ts';
import { arkadeToEvm, balanceOn, claimAlone } from '../stories/client/to-evm.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startEvmWorld, type EvmWorld } from '../support/evm/world.ts';
import { seedOf, startNodeOn, type TestNode } from '../support/node.ts';
import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { eventually } from '../support/scene.ts';
import { openClient } from '../support/client.ts';
import { startWorld, type World } from '../support/world.ts';
import { bundleIn, runRescue, walletTotal, withoutHands, type Left } from './rescuer.ts';

const chainId = 137;
const coin = `0x${'00'.repeat(20)}`;
const hour = 3_600;

let world: World;
let evm: EvmWorld;
let node: TestNode;
let server: ApiServer;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-rescue-'));
  world = startWorld();
  evm = await startEvmWorld(() => world.now());
  node = await startNodeOn(world, folder, { evm, bundle: true, bitcoinWallet: true });
  server = await serveLives({ now: () => node });
});

afterEach(async () => {
  await server.stop();
  await node.stop();
  await evm.stop();
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function lose(): Promise<Left> {
  const left = { world, folder: node.nextFolder, evm };
  await node.kill();
  return left;
}

function pegged(): string {
  const token = evm.endpoints.tokens.find(({ symbol }) => symbol === 'WBTC');
  if (token === undefined) throw new Error('the chain has no WBTC');
  return token.address;
}

const account = () => `0x${toHex(node.ports['evm:137']?.account() ?? new Uint8Array())}`;
const holds = (address: string) => balanceOn(evm.endpoints.rpcUrl, chainId, pegged(), address);

async function past(moment: number): Promise<void> {
  await world.advance(moment - world.now() + 2 * hour);
  await world.mine(12);
  const chain = connectEvm({
    chainId,
    rpc: [evm.endpoints.rpcUrl],
    key: new Uint8Array(32).fill(1),
    boundTo: null,
    wall: world.now,
  });
  await eventually(async () => (await chain.tip()).time > moment, 'a block after that moment');
}

async function fund(swap: FromEvm): Promise<void> {
  await evm.give(swap.account.address, pegged(), 2n * swap.price);
  await evm.give(swap.account.address, coin, 10n ** 18n);
  await fundAlone(server.url, swap, evm.endpoints.rpcUrl, world.now() + hour);
}

describe('Arkade to an EVM chain', () => {
  async function locked() {
    const client = await openClient(world);
    const wish = { chainId, token: pegged(), gasless: false, amount: { amount_in: 40_000 } };
    const swap = await arkadeToEvm(server.url, { arkade: client }, wish);
    const before = { arkade: await walletTotal({ world }), token: await holds(account()) };
    world.faucet(swap.vhtlc.address, BigInt(swap.price));
    await node.until(text(swap.record, 'id'), 'locked');
    return { swap, before };
  }

  test('a lock that nobody claims comes back from its timelock on, and not before', async () => {
    const { swap, before } = await locked();
    const left = await lose();
    const early = await runRescue(left);
    expect([early.outcome, (await holds(account())) < before.token]).toEqual(['later', true]);
    await past(whole(swap.record, 'evm_refund_locktime'));
    expect((await withoutHands(left)).outcome).toBe('done');
    expect(await holds(account())).toBe(before.token);
    expect((await runRescue(left)).outcome).toBe('done');
  });

  test('without a bundle the seed alone finds the lock, and nothing once it is claimed', async () => {
    const { swap } = await locked();
    await lose();
    const key = createKeys(seedOf(1), 'regtest').privateKey({ branch: 'evm-account' });
    const port = connectEvm({ chainId, rpc: [evm.endpoints.rpcUrl], key, boundTo: null, wall: world.now });
    const contracts = node.config.evm[String(chainId)]?.contracts;
    if (contracts === undefined) throw new Error('the chain has no contracts');
    const taker = { key: { scheme: 'wallet', index: 0 }, destination: port.account() } as const;
    const search = async () =>
      ownLocks(port, { network: 'evm:137', contracts, from: 0, to: (await port.tip()).height, taker });
    expect((await search()).map(({ lock }) => Number(lock.timelock))).toEqual([
      whole(swap.record, 'evm_refund_locktime'),
    ]);
    await evm.give(swap.account.address, coin, 10n ** 18n);
    await claimAlone(evm.endpoints.rpcUrl, swap);
    expect(await search()).toEqual([]);
  });

  test('the secret that the client showed to the contract opens its VHTLC', async () => {
    const { swap, before } = await locked();
    const left = await lose();
    await evm.give(swap.account.address, coin, 10n ** 18n);
    await claimAlone(evm.endpoints.rpcUrl, swap);
    expect((await runRescue(left)).outcome).toBe('done');
    expect(await walletTotal({ world })).toBe(before.arkade + BigInt(swap.price));
  });

  test.each([
    ['after', false],
    ['past', true],
  ])('%s its machine an account without gas is told what to send it, and that needs the owner', async (_, isPast) => {
    const { swap } = await locked();
    const left = await lose();
    await past(whole(swap.record, 'evm_refund_locktime'));
    const poor = await runRescue(left, true, { poor: true, byHand: isPast ? [text(swap.record, 'id')] : [] });
    expect([poor.outcome, poor.lines.join('\n')]).toEqual([
      'failed',
      expect.stringMatching(/wei for gas, and \d+ are needed: send it some/),
    ]);
    expect((await runRescue(left)).outcome).toBe('done');
  });
});

describe('an EVM chain to Lightning', () => {
  test('a payment that settles after the node is gone opens the lock of the client', async () => {
    const { bolt11, hash } = world.invoice(30_000n, { hold: true, expirySeconds: 48 * hour });
    const wish = { chainId, token: pegged(), bolt11, hash: toHex(hash), gasless: false };
    const swap = await evmToLightning(server.url, wish);
    const before = await holds(account());
    await fund(swap);
    await node.until(swap.id, 'paying');
    await eventually(
      () => world.lightning.invoice('outside', toHex(hash))?.state === 'accepted',
      'the payment is held',
    );
    const left = await lose();
    expect((await runRescue(left)).outcome).toBe('later');
    world.lightning.release(toHex(hash), 'settles');
    expect((await withoutHands(left)).outcome).toBe('done');
    expect(await holds(account())).toBe(before + swap.price);
    expect((await runRescue(left)).outcome).toBe('done');
  });
});

describe('an EVM chain to Bitcoin', () => {
  async function locked() {
    await deposit({ world, node }, 500_000);
    const swap = await evmToBitcoin(server.url, {
      chainId,
      token: pegged(),
      gasless: false,
      amount: { amount_out: 60_000 },
    });
    const before = await holds(account());
    await fund(swap);
    await node.until(swap.id, 'locked');
    const record = await ask(server.url, 'GET', `/swap/${swap.id}`);
    const funded = { txid: text(record, 'btc_fund_txid'), vout: whole(record, 'btc_fund_vout') };
    return { swap, before, funded };
  }

  /** As a client does that has only its record; answers the transaction. */
  function claimIt({ record, secret, key }: ToBitcoin, funded: { txid: string; vout: number }): string {
    const terms: HtlcTerms = {
      form: 'p2tr',
      hash: asHash160(fromHex(text(record, 'btc_hash_lock'))),
      claimer: asPublicKey(fromHex(`02${text(record, 'btc_user_claim_pk')}`)),
      refunder: asPublicKey(fromHex(`02${text(record, 'btc_server_refund_pk')}`)),
      refundLocktime: unix(whole(record, 'btc_refund_locktime')),
    };
    const amount = sats(BigInt(text(record, 'target_amount')));
    const made = buildHtlcSpend(terms, {
      coin: { ...funded, amount },
      preimage: secret as never,
      to: new Uint8Array([0x51, 32, ...new Uint8Array(32).fill(0x11)]),
      feeRate: 3,
      mostFee: amount,
      secret: key,
    });
    if (made === null) throw new Error('the coin is not worth its fee');
    return world.bitcoin.submit(made.bytes).txid;
  }

  test('a coin that nobody claims comes back above its locktime', async () => {
    const { swap, funded } = await locked();
    const left = await lose();
    await world.mine(6);
    expect((await runRescue(left)).outcome).toBe('later');
    await past(whole(swap.record, 'btc_refund_locktime'));
    expect((await runRescue(left)).outcome).toBe('later');
    await world.mine(6);
    expect((await runRescue(left)).outcome).toBe('done');
    expect(await createBitcoinPort(world.bitcoin).spend(funded)).toMatchObject({ height: expect.any(Number) });
  });

  test('a claim in the mempool opens the lock at once', async () => {
    const { swap, before, funded } = await locked();
    const left = await lose();
    claimIt(swap, funded);
    expect((await withoutHands(left)).outcome).toBe('done');
    expect(await holds(account())).toBe(before + swap.price);
  });

  test('a secret that was seen forbids the refund, though its claim is gone and the locktime over', async () => {
    const { swap, before, funded } = await locked();
    const left = await lose();
    await world.mine(1);
    const claim = claimIt(swap, funded);
    const { evm: _, ...withoutEvm } = left;
    expect((await runRescue(withoutEvm)).outcome).toBe('later');
    expect(bundleIn(left.folder).swaps[0]).toMatchObject({ shown: true });
    world.bitcoin.setMempoolMinimum(50);
    world.bitcoin.setMempoolMinimum(1);
    expect(world.bitcoin.transaction(claim)).toBeUndefined();
    expect(await createBitcoinPort(world.bitcoin).spend(funded)).toBeNull();
    await past(whole(swap.record, 'btc_refund_locktime'));
    const last = await runRescue(left);
    expect(last.lines.join('\n')).not.toMatch(/we take back/);
    expect([await holds(account()), await createBitcoinPort(world.bitcoin).spend(funded)]).toEqual([
      before + swap.price,
      null,
    ]);
  });
});
