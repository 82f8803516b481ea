import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { ArkadeBitcoinRecord } from '../../engine/contract/directions/arkade-bitcoin.ts';
import type { BitcoinLightningRecord } from '../../engine/contract/directions/bitcoin-lightning.ts';
import type { LightningBitcoinRecord } from '../../engine/contract/directions/lightning-bitcoin.ts';
import type { BitcoinArkadeRecord } from '../../engine/contract/directions/bitcoin-arkade.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { refundAlone } from '../stories/client/from-evm.ts';
import { htlcOf, takeBitcoinBack } from '../stories/client/from-bitcoin.ts';
import { bitcoinToLightning, signServerClaim, takeHtlcBack, type FromHtlc } from '../stories/client/from-bitcoin.ts';
import { sendBitcoin } from '../stories/client/esplora.ts';
import {
  arkadeToBitcoin,
  claimBitcoin,
  claimHtlc,
  claimTogether,
  evmToBitcoin,
  lightningToBitcoin,
  type ToBitcoin,
  type ToHtlc,
} from '../stories/client/to-bitcoin.ts';
import { bitcoinToEvm, claimAlone, claimGasless } from '../stories/client/to-evm.ts';
import type { TestNode } from '../support/node.ts';
import { accepted, chainId, evmOf, fund, looks, tokenOf } from './support/evm-in-process.ts';
import { givenTimes } from './support/evm-oracle.ts';
import { coin } from './support/evm-tokens.ts';
import type { BitcoinEvmRecord, EvmBitcoinRecord } from './support/evm-verdict.ts';
import { playMortal, type BitcoinPlay, type MortalStory, type Opened, type Play } from './support/in-process.ts';
import { coversItsOwn, inEachFile } from './support/covered.ts';
import { atEveryBoundary } from './support/lives.ts';
import { opened } from './support/scenario.ts';

/**
 * The node dies at its k-th boundary, for every k: before and after each commit, and each transaction and spend that
 * leaves it. The chain moves on whether it lives or not, and loses what it likes of its newest blocks.
 */
const blockMs = 60;

function bitcoinOf({ bitcoin }: Play): BitcoinPlay {
  if (bitcoin === null) throw new Error('there is no Bitcoin chain');
  return bitcoin;
}

/** Blocks come meanwhile. */
async function mined(on: Play, what: string, done: (node: TestNode) => Promise<boolean> | boolean): Promise<void> {
  let last = performance.now();
  await on.until(what, async (node) => {
    if (await done(node)) return true;
    if (performance.now() - last > blockMs) {
      await on.world.mine(1);
      last = performance.now();
    }
    return false;
  });
}

/** What spends a coin is on the chain no more, and in no mempool. */
function driveOut({ world: { bitcoin } }: Play, outpoint: Outpoint, ...more: string[]): void {
  const spend = bitcoin.spend(outpoint);
  bitcoin.reorg(2, [...more, ...(spend === undefined ? [] : [spend.txid])]);
}

interface FromBitcoinPlay extends Opened {
  readonly record: BitcoinArkadeRecord;
  readonly secret: Parameters<Play['client']['claim']>[1];
}

async function openFromBitcoin({ client, ask }: Play): Promise<FromBitcoinPlay> {
  const made = await ask(async (node) => {
    const secret = client.secret();
    return { secret, record: await client.createBitcoinArkade(node, 60_000n, secret) };
  });
  return { ...made, hash: toHex(sha256Of(made.secret)) };
}

async function locked(on: Play, { record }: FromBitcoinPlay): Promise<void> {
  await mined(on, 'the lock', async () => (await on.fates(record)).some(({ spent }) => spent === 'unspent'));
}

/** The client takes back every coin that nobody took, after its locktime. */
async function refundBitcoin(on: Play, { record }: FromBitcoinPlay): Promise<void> {
  await on.world.advance(Math.max(0, record.btc_refund_locktime - on.world.now() + 60));
  for (const { outpoint, spent } of (await bitcoinOf(on).oracle.legOf(record)) ?? []) {
    const [txid = '', vout] = outpoint.split(':');
    if (spent === 'unspent') on.client.refundBitcoin(record, { txid, vout: Number(vout) });
  }
  await mined(on, 'refunded', (node) => node.at(record.id) === 'refunded');
}

interface ToBitcoinPlay extends Opened {
  readonly record: EvmBitcoinRecord;
  readonly fromEvm: ToBitcoin;
}

async function openToBitcoin(on: Play): Promise<ToBitcoinPlay> {
  const { world, url } = evmOf(on);
  const token = tokenOf(on, 'WBTC');
  const wish = { chainId, token, gasless: true, amount: { amount_out: 60_000 } };
  const fromEvm = await opened(() => evmToBitcoin(url, wish));
  await world.give(fromEvm.account.address, token, givenTimes * fromEvm.price);
  await world.give(fromEvm.account.address, coin, 10n ** 18n);
  const record = fromEvm.record as unknown as EvmBitcoinRecord;
  const swap = { hash: record.evm_hash_lock.slice(2), record, fromEvm };
  await fund(on, swap, true);
  return swap;
}

/** Where our coin lies, once somebody shows it. */
async function ourCoin(on: Play, { record }: Pick<Opened, 'record'>): Promise<Outpoint> {
  let point: Outpoint | null = null;
  await mined(on, 'our coin', async () => {
    const [txid, vout] = (await bitcoinOf(on).oracle.legOf(record))?.[0]?.outpoint.split(':') ?? [];
    point = txid === undefined ? null : { txid, vout: Number(vout) };
    return point !== null;
  });
  if (point === null) throw new Error('no coin');
  return point;
}

function claim(on: Play, { fromEvm }: ToBitcoinPlay, { txid, vout }: Outpoint): Promise<string> {
  return claimBitcoin(bitcoinOf(on).esplora, fromEvm, { btc_fund_txid: txid, btc_fund_vout: vout });
}

/**
 * The lock is one side's for good, and what took our coin is buried. Of a lock that we do not take, its client takes
 * the refund alone.
 */
async function ended(on: Play, { record, fromEvm }: ToBitcoinPlay): Promise<void> {
  const { world, url } = evmOf(on);
  await mined(on, 'an end of our coin', (node) => ['claimed', 'returned'].includes(node.at(record.id)));
  if ((await on.ask((node) => Promise.resolve(node.at(record.id)))) === 'returned') {
    await on.world.advance(record.evm_refund_locktime - on.world.now() + 60);
    await on.until('the refund', (node) =>
      refundAlone(url, fromEvm, world.endpoints.rpcUrl).then(
        () => true,
        () => node.at(record.id) === 'refunded',
      ),
    );
  }
  await mined(on, 'an end', (node) => node.runtime.workingSet.find(record.id)?.row.open === false);
}

interface BitcoinToEvmPlay extends Opened {
  readonly record: BitcoinEvmRecord;
  readonly toEvm: Awaited<ReturnType<typeof bitcoinToEvm>>;
}

/** Paid by the faucet, `less` than the price. */
async function openPaidToEvm(on: Play, gasless: boolean, less = 0): Promise<BitcoinToEvmPlay> {
  const { url } = evmOf(on);
  const wish = { chainId, token: tokenOf(on, 'WBTC'), gasless, amount: { amount_in: 60_000 } };
  const toEvm = await opened(() => bitcoinToEvm(url, wish));
  const record = toEvm.record as unknown as BitcoinEvmRecord;
  on.world.bitcoin.faucet(htlcOf(toEvm).script, sats(toEvm.price - less));
  return { hash: record.evm_hash_lock.slice(2), record, toEvm };
}

/** Goes on asking; what is refused now, or by nobody, may be taken later. */
async function claimedOnEvm(on: Play, { record }: BitcoinToEvmPlay, ask: () => Promise<unknown>): Promise<void> {
  await mined(on, 'claimed', async (node) => {
    if (node.at(record.id) === 'locked') await ask().catch(() => undefined);
    return node.at(record.id) === 'claimed';
  });
  // Until the claim of our lock is buried.
  await mined(on, 'an end', (node) => node.runtime.workingSet.find(record.id)?.row.open !== true);
}

/** The client takes back whatever nobody took, after its locktime. */
async function tookBitcoinBack(on: Play, { record, toEvm }: BitcoinToEvmPlay): Promise<void> {
  await on.world.advance(Math.max(0, record.btc_refund_locktime - on.world.now() + 60));
  await on.world.mine(12);
  for (const { outpoint, spent, amount } of (await bitcoinOf(on).oracle.legOf(record)) ?? []) {
    const [txid = '', vout] = outpoint.split(':');
    if (spent === 'unspent') await takeBitcoinBack(bitcoinOf(on).esplora, toEvm, { txid, vout: Number(vout), amount });
  }
  await mined(on, 'refunded', (node) => node.at(record.id) === 'refunded');
}

interface ToHtlcPlay extends Opened {
  readonly record: LightningBitcoinRecord | ArkadeBitcoinRecord;
  readonly toHtlc: ToHtlc;
}

async function openHeld(on: Play, isPaid = true): Promise<ToHtlcPlay> {
  const toHtlc = await opened(() => lightningToBitcoin(bitcoinOf(on).url, { amount: { target_amount_sats: 60_000 } }));
  const record = toHtlc.record as unknown as LightningBitcoinRecord;
  if (isPaid) on.world.pay(record.bolt11_invoice);
  return { hash: record.hash_lock.slice(2), record, toHtlc };
}

interface FundedPlay extends ToHtlcPlay {
  readonly record: ArkadeBitcoinRecord;
}

/** Funded by the faucet, `less` than the price. */
async function openFunded(on: Play, less = 0n): Promise<FundedPlay> {
  const amount = { target_amount_sats: 60_000 };
  const toHtlc = await opened(() => arkadeToBitcoin(bitcoinOf(on).url, { arkade: on.client }, { amount }));
  const record = toHtlc.record as unknown as ArkadeBitcoinRecord;
  on.world.faucet(record.arkade_vhtlc_address, BigInt(toHtlc.price) - less);
  return { hash: record.hash_lock.slice(2), record, toHtlc };
}

/** By the key of both: an answer that never came is asked for again, for it may have been given. */
async function claimWithService(on: Play, { toHtlc }: ToHtlcPlay, { txid, vout }: Outpoint): Promise<void> {
  const { url, esplora } = bitcoinOf(on);
  const record = { btc_fund_txid: txid, btc_fund_vout: vout };
  await mined(on, 'the claim of both', () =>
    claimTogether(url, esplora, { swap: toHtlc, record })
      .then(({ raw }) => sendBitcoin(esplora, raw))
      .then(
        () => true,
        () => false,
      ),
  );
}

/** Whether a claim by the key of both was seen whole: from then on the node keeps it on the chain. */
function isNamed(row: { readonly open: boolean; readonly progress: object } | undefined): boolean {
  const { redeem } = (row?.progress ?? {}) as { readonly redeem?: { readonly unsigned?: true } };
  return row?.open !== true || (redeem !== undefined && redeem.unsigned !== true);
}

/** What we do not take of the VHTLC goes back to its client by both signatures. */
async function fundedEnded(on: Play, { record }: FundedPlay): Promise<void> {
  const isOver = (node: TestNode) => ['claimed', 'returned', 'stopped', 'refunded'].includes(node.at(record.id));
  await mined(on, 'an end of ours', isOver);
  await mined(on, 'the refund', async () => {
    if (!(await on.fates(record)).some(({ spent }) => spent === 'unspent')) return true;
    await on.ask((node) => on.client.collabRefund(node, record)).catch(() => pause(20));
    return false;
  });
  await mined(on, 'an end', (node) => node.runtime.workingSet.find(record.id)?.row.open !== true);
}

function claimHeld(on: Play, { toHtlc }: ToHtlcPlay, { txid, vout }: Outpoint): Promise<string> {
  return claimHtlc(bitcoinOf(on).esplora, toHtlc, { btc_fund_txid: txid, btc_fund_vout: vout });
}

/** Blocks come until the chain is at the height of our refund. */
async function toHeight(on: Play, { record }: ToHtlcPlay): Promise<void> {
  const { height } = on.world.bitcoin.tip();
  await on.world.mine(Math.max(0, record.btc_refund_locktime - height));
}

async function heldEnded(on: Play, { record }: ToHtlcPlay): Promise<void> {
  await mined(on, 'an end', (node) => node.runtime.workingSet.find(record.id)?.row.open === false);
}

interface FromHtlcPlay extends Opened {
  readonly record: BitcoinLightningRecord;
  readonly fromHtlc: FromHtlc;
}

async function openPaid(on: Play, short = 0n, signs?: true): Promise<FromHtlcPlay> {
  const more = signs === undefined ? {} : { signs };
  const fromHtlc = await opened(() =>
    bitcoinToLightning(bitcoinOf(on).url, { bolt11: on.world.invoice(60_000n).bolt11, ...more }),
  );
  const record = fromHtlc.record as unknown as BitcoinLightningRecord;
  const script = scriptOfAddress(record.btc_htlc_address, 'regtest') ?? new Uint8Array();
  on.world.bitcoin.faucet(script, sats(BigInt(fromHtlc.price) - short));
  return { hash: record.hash_lock.slice(2), record, fromHtlc };
}

/** The client takes back every coin that nobody took, once the tip is at its height. */
async function takeBack(on: Play, { record, fromHtlc }: FromHtlcPlay): Promise<void> {
  const { height } = on.world.bitcoin.tip();
  await on.world.mine(Math.max(0, record.btc_refund_locktime - height));
  for (const { outpoint, spent, amount } of (await bitcoinOf(on).oracle.legOf(record)) ?? []) {
    const [txid = '', vout] = outpoint.split(':');
    if (spent === 'unspent') await takeHtlcBack(bitcoinOf(on).esplora, fromHtlc, { txid, vout: Number(vout), amount });
  }
  await mined(on, 'refunded', (node) => node.at(record.id) === 'refunded');
}

/** Our HTLC against what a client gave elsewhere: whatever that is, the coin is claimed, or not, in the same ways. */
function storiesOfOurCoin<S extends ToHtlcPlay>(of: {
  readonly direction: MortalStory['direction'];
  readonly source: string;
  readonly open: (on: Play) => Promise<S>;
  readonly ended: (on: Play, swap: S) => Promise<void>;
}): MortalStory[] {
  const { direction, source, open, ended } = of;
  const story = (name: string, claims: (on: Play, swap: S) => Promise<void>): MortalStory => ({
    direction,
    name,
    async play(on) {
      const swap = await open(on);
      await claims(on, swap);
      await ended(on, swap);
      return swap;
    },
  });
  return [
    story('the client claims our coin unconfirmed', async (on, swap) => {
      await claimHeld(on, swap, await ourCoin(on, swap));
    }),
    story('its claim is driven out, and our funding with it', async (on, swap) => {
      const point = await ourCoin(on, swap);
      await claimHeld(on, swap, point);
      await on.until('the secret', (node) => ['claiming', 'claimed'].includes(node.at(swap.record.id)));
      await on.world.mine(2);
      driveOut(on, point, point.txid);
    }),
    story(`nobody claims, and the ${source} goes back`, async (on, swap) => {
      await ourCoin(on, swap);
      await mined(on, 'our coin', (node) => node.at(swap.record.id) === 'locked');
      await toHeight(on, swap);
    }),
    story('the client claims when our refund is due', async (on, swap) => {
      const point = await ourCoin(on, swap);
      await mined(on, 'our coin', (node) => node.at(swap.record.id) === 'locked');
      const moved = toHeight(on, swap);
      await pause(5);
      await claimHeld(on, swap, point).catch(() => undefined);
      await moved;
    }),
  ];
}

const stories: readonly MortalStory[] = [
  {
    direction: 'bitcoin-arkade',
    name: 'the client claims',
    async play(on) {
      const swap = await openFromBitcoin(on);
      on.client.payBitcoin(swap.record);
      await locked(on, swap);
      await on.client.claim(swap.record, swap.secret);
      await mined(on, 'claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'reorganisations take the payment and our claim',
    async play(on) {
      const swap = await openFromBitcoin(on);
      const point = on.client.payBitcoin(swap.record);
      const payment = on.world.bitcoin.transaction(point.txid)?.tx.bytes ?? new Uint8Array();
      await on.world.mine(1);
      on.world.bitcoin.reorg(1, [point.txid]);
      await pause(20);
      on.world.bitcoin.submit(payment);
      await locked(on, swap);
      await on.client.claim(swap.record, swap.secret);
      await on.until('our claim', () => on.world.bitcoin.spend(point) !== undefined);
      await on.world.mine(2);
      driveOut(on, point);
      await mined(on, 'claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'nobody claims',
    async play(on) {
      const swap = await openFromBitcoin(on);
      const { record } = swap;
      on.client.payBitcoin(record);
      await locked(on, swap);
      await on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await on.until('returned', (node) => node.at(record.id) === 'returned');
      await refundBitcoin(on, swap);
      return swap;
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'the client claims when the refund is due',
    async play(on) {
      const swap = await openFromBitcoin(on);
      const { record } = swap;
      on.client.payBitcoin(record);
      await locked(on, swap);
      const moved = on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 60);
      await pause(5);
      await on.client.claim(record, swap.secret).catch(() => undefined);
      await moved;
      await mined(on, 'an end', (node) => ['claimed', 'returned'].includes(node.at(record.id)));
      if ((await on.fates(record)).some(({ spent }) => spent !== 'claim')) await refundBitcoin(on, swap);
      return swap;
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'the client pays too little',
    async play(on) {
      const swap = await openFromBitcoin(on);
      on.client.payBitcoin(swap.record, BigInt(swap.record.source_amount) - 1n);
      await mined(on, 'the refusal', (node) => node.at(swap.record.id) === 'stopped');
      await refundBitcoin(on, swap);
      return swap;
    },
  },
  ...storiesOfOurCoin({
    direction: 'lightning-bitcoin',
    source: 'payment',
    open: openHeld,
    ended: heldEnded,
  }),
  {
    direction: 'lightning-bitcoin',
    name: 'nobody pays',
    async play(on) {
      const swap = await openHeld(on, false);
      await on.world.advance(3_600);
      await on.until('lapsed', (node) => node.at(swap.record.id) === 'lapsed');
      return swap;
    },
  },
  ...storiesOfOurCoin({
    direction: 'arkade-bitcoin',
    source: 'VHTLC',
    open: openFunded,
    ended: fundedEnded,
  }),
  {
    direction: 'arkade-bitcoin',
    name: 'the client claims by the key of both, and its claim is driven out',
    async play(on) {
      const swap = await openFunded(on);
      const point = await ourCoin(on, swap);
      await claimWithService(on, swap, point);
      await on.until('the whole claim', ({ runtime }) => isNamed(runtime.workingSet.find(swap.record.id)?.row));
      driveOut(on, point);
      await fundedEnded(on, swap);
      return swap;
    },
  },
  {
    direction: 'arkade-bitcoin',
    name: 'the client funds too little',
    async play(on) {
      const swap = await openFunded(on, 1n);
      await fundedEnded(on, swap);
      return swap;
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the client pays',
    async play(on) {
      const swap = await openPaid(on);
      await mined(on, 'claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the client signs our claim with us, and it is driven out',
    async play(on) {
      const swap = await openPaid(on, 0n, true);
      const [own] = on.world.bitcoin.coinsOf(
        scriptOfAddress(swap.record.btc_htlc_address, 'regtest') ?? new Uint8Array(),
      );
      if (own === undefined) throw new Error('there is no coin');
      const { outpoint, amount } = own;
      const isClaimed = () => on.world.bitcoin.spend(outpoint) !== undefined;
      await mined(on, 'our claim', async () => {
        if (isClaimed()) return true;
        await signServerClaim(bitcoinOf(on).url, { swap: swap.fromHtlc, coin: { ...outpoint, amount } }).catch(
          () => undefined,
        );
        return isClaimed();
      });
      driveOut(on, outpoint);
      await mined(on, 'claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'bitcoin-lightning',
    name: 'the client pays too little',
    async play(on) {
      const swap = await openPaid(on, 1n);
      await mined(on, 'the refusal', (node) => node.at(swap.record.id) === 'stopped');
      await takeBack(on, swap);
      return swap;
    },
  },
  {
    direction: 'evm-bitcoin',
    name: 'the client claims our coin unconfirmed',
    async play(on) {
      const swap = await openToBitcoin(on);
      await claim(on, swap, await ourCoin(on, swap));
      await ended(on, swap);
      return swap;
    },
  },
  {
    direction: 'evm-bitcoin',
    name: 'its claim is driven out, and our funding with it',
    async play(on) {
      const swap = await openToBitcoin(on);
      const point = await ourCoin(on, swap);
      await claim(on, swap, point);
      await on.until('the secret', (node) => ['claiming', 'claimed'].includes(node.at(swap.record.id)));
      await on.world.mine(2);
      driveOut(on, point, point.txid);
      await ended(on, swap);
      return swap;
    },
  },
  {
    direction: 'evm-bitcoin',
    name: 'nobody claims, and the client takes its lock back',
    async play(on) {
      const swap = await openToBitcoin(on);
      await ourCoin(on, swap);
      await mined(on, 'our coin', (node) => node.at(swap.record.id) === 'locked');
      await on.world.advance(swap.record.btc_refund_locktime - on.world.now() + 60);
      await ended(on, swap);
      return swap;
    },
  },
  {
    direction: 'evm-bitcoin',
    name: 'the client claims when our refund is due',
    async play(on) {
      const swap = await openToBitcoin(on);
      const point = await ourCoin(on, swap);
      await mined(on, 'our coin', (node) => node.at(swap.record.id) === 'locked');
      const moved = on.world.advance(swap.record.btc_refund_locktime - on.world.now() + 60);
      await pause(5);
      await claim(on, swap, point).catch(() => undefined);
      await moved;
      await ended(on, swap);
      return swap;
    },
  },
  {
    direction: 'bitcoin-evm',
    name: 'the claim is relayed',
    async play(on) {
      const swap = await openPaidToEvm(on, true);
      await claimedOnEvm(on, swap, async () => accepted(await claimGasless(evmOf(on).url, swap.toEvm)));
      return swap;
    },
  },
  {
    direction: 'bitcoin-evm',
    name: 'the client claims by itself, and our claim is driven out',
    async play(on) {
      const swap = await openPaidToEvm(on, false);
      const { world } = evmOf(on);
      await world.give(swap.toEvm.account.address, coin, 10n ** 18n);
      await mined(on, 'the lock', (node) => node.at(swap.record.id) === 'locked');
      await claimAlone(world.endpoints.rpcUrl, swap.toEvm);
      await on.until('the secret', (node) => ['claiming', 'claimed'].includes(node.at(swap.record.id)));
      await on.world.mine(2);
      const [own] = (await bitcoinOf(on).oracle.legOf(swap.record)) ?? [];
      const [paid = '', vout] = own?.outpoint.split(':') ?? [];
      driveOut(on, { txid: paid, vout: Number(vout) });
      await claimedOnEvm(on, swap, () => Promise.resolve());
      return swap;
    },
  },
  {
    direction: 'bitcoin-evm',
    name: 'nobody claims, and the client takes its bitcoin back',
    async play(on) {
      const swap = await openPaidToEvm(on, true);
      const { record } = swap;
      await mined(on, 'the lock', (node) => node.at(record.id) === 'locked');
      await on.world.advance(record.evm_refund_locktime - on.world.now() + 60);
      await on.until('returned', (node) => node.at(record.id) === 'returned');
      await tookBitcoinBack(on, swap);
      return swap;
    },
  },
  {
    direction: 'bitcoin-evm',
    name: 'the client claims when our refund is due',
    async play(on) {
      const swap = await openPaidToEvm(on, false);
      const { record } = swap;
      const { world } = evmOf(on);
      await world.give(swap.toEvm.account.address, coin, 10n ** 18n);
      await mined(on, 'the lock', (node) => node.at(record.id) === 'locked');
      const moved = on.world.advance(record.evm_refund_locktime - on.world.now() + 60);
      await pause(5);
      await claimAlone(world.endpoints.rpcUrl, swap.toEvm).catch(() => undefined);
      await moved;
      await mined(on, 'an end', (node) => ['claimed', 'returned'].includes(node.at(record.id)));
      if ((await on.ask((node) => Promise.resolve(node.at(record.id)))) === 'returned') await tookBitcoinBack(on, swap);
      else await mined(on, 'an end', (node) => node.runtime.workingSet.find(record.id)?.row.open !== true);
      return swap;
    },
  },
  {
    direction: 'bitcoin-evm',
    name: 'the client pays too little',
    async play(on) {
      const swap = await openPaidToEvm(on, true, 1);
      await mined(on, 'the refusal', (node) => node.at(swap.record.id) === 'stopped');
      await tookBitcoinBack(on, swap);
      return swap;
    },
  },
];

test('every direction of this file has a story', () =>
  coversItsOwn(inEachFile.providers, 'in-process-bitcoin', stories));

test.each(stories)(
  'fault 2: $direction: when $name, the node may die at any boundary',
  { timeout: 3_600_000 },
  (story) =>
    atEveryBoundary(
      `${story.direction}, ${story.name}`,
      (dieAt) => playMortal(story, dieAt),
      story.direction.includes('evm') ? looks : 1,
    ),
);
