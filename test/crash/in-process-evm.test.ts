import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import type { ArkadeEvmRecord } from '../../engine/contract/directions/arkade-evm.ts';
import type { EvmLightningRecord } from '../../engine/contract/directions/evm-lightning.ts';
import type { LightningEvmRecord } from '../../engine/contract/directions/lightning-evm.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { evmToArkade, type ToArkade } from '../stories/client/to-arkade.ts';
import { evmToLightning, type FromEvm } from '../stories/client/from-evm.ts';
import { arkadeToEvm, claimAlone, claimGasless, lightningToEvm, type ClaimedOnEvm } from '../stories/client/to-evm.ts';
import { givenTimes } from './support/evm-oracle.ts';
import { coin } from './support/evm-tokens.ts';
import { accepted, askBack, chainId, evmOf, fund, looks, tokenOf } from './support/evm-in-process.ts';
import { playMortal, type MortalStory, type Opened, type Play } from './support/in-process.ts';
import { coversItsOwn, inEachFile } from './support/covered.ts';
import { atEveryBoundary } from './support/lives.ts';
import { opened } from './support/scenario.ts';
import type { EvmArkadeLock } from './support/wallet.ts';

/**
 * The node dies at its k-th boundary, for every k: before and after each commit, before and after each transaction,
 * payment and spend that leaves it. The EVM chain runs the contracts' own code in this process, and the client asks
 * over HTTP.
 */
const hour = 3_600;

interface ToEvmPlay<R = ArkadeEvmRecord | LightningEvmRecord> extends Opened {
  readonly record: Opened['record'] & R;
  readonly toEvm: ClaimedOnEvm;
}

function wishOf(on: Play, gasless: boolean) {
  return { chainId, token: tokenOf(on, 'WBTC'), gasless, amount: { amount_in: 40_000 } };
}

async function openToEvm(on: Play, gasless: boolean): Promise<ToEvmPlay<ArkadeEvmRecord>> {
  const { url } = evmOf(on);
  const wish = wishOf(on, gasless);
  const toEvm = await opened(() => arkadeToEvm(url, { arkade: on.client }, wish));
  const record = toEvm.record as unknown as ArkadeEvmRecord;
  on.world.faucet(record.btc_vhtlc_address, BigInt(toEvm.price));
  return { hash: record.hash_lock.slice(2), record, toEvm };
}

async function openHeldToEvm(on: Play, gasless: boolean): Promise<ToEvmPlay<LightningEvmRecord>> {
  const toEvm = await opened(() => lightningToEvm(evmOf(on).url, wishOf(on, gasless)));
  const record = toEvm.record as unknown as LightningEvmRecord;
  on.world.pay(record.bolt11_invoice);
  return { hash: record.hash_lock.slice(2), record, toEvm };
}

/** Goes on asking; what is refused now, or by nobody, may be taken later. */
async function claimed(on: Play, { record }: ToEvmPlay, claim: () => Promise<unknown>): Promise<void> {
  await on.until('claimed', async (node) => {
    if (node.at(record.id) === 'locked') await claim().catch(() => undefined);
    return node.at(record.id) === 'claimed';
  });
}

interface FromEvmPlay extends Opened {
  readonly record: EvmLightningRecord;
  readonly fromEvm: FromEvm;
}

async function openFromEvm(
  on: Play,
  { gasless, hold = false }: { gasless: boolean; hold?: boolean },
): Promise<FromEvmPlay> {
  const { world, url } = evmOf(on);
  const token = tokenOf(on, 'WBTC');
  const { fromEvm, hash } = await opened(async () => {
    const invoice = on.world.invoice(30_000n, { hold, expirySeconds: 48 * hour });
    const hash = toHex(invoice.hash);
    return { hash, fromEvm: await evmToLightning(url, { chainId, token, bolt11: invoice.bolt11, hash, gasless }) };
  });
  const { address } = fromEvm.account;
  await world.give(address, token, givenTimes * fromEvm.price);
  await world.give(address, coin, 10n ** 18n);
  return { hash, record: fromEvm.record as unknown as EvmLightningRecord, fromEvm };
}

interface ToArkadePlay extends Opened {
  readonly record: EvmArkadeLock;
  readonly fromEvm: ToArkade;
}

async function openToArkade(on: Play, gasless: boolean): Promise<ToArkadePlay> {
  const { world, url } = evmOf(on);
  const token = tokenOf(on, 'WBTC');
  const wish = { chainId, token, gasless, amount: { amount_out: 30_000 } };
  const fromEvm = await opened(() => evmToArkade(url, { arkade: on.client }, wish));
  const { address } = fromEvm.account;
  await world.give(address, token, givenTimes * fromEvm.price);
  await world.give(address, coin, 10n ** 18n);
  const record = fromEvm.record as unknown as EvmArkadeLock;
  return { hash: record.hash_lock.slice(2), record, fromEvm };
}

async function lockedOnArkade(on: Play, { record }: ToArkadePlay): Promise<void> {
  await on.until('the lock', async () => (await on.fates(record)).some(({ spent }) => spent === 'unspent'));
}

const stories: readonly MortalStory[] = [
  {
    direction: 'arkade-evm',
    name: 'the claim is relayed',
    async play(on) {
      const swap = await openToEvm(on, true);
      await claimed(on, swap, async () => accepted(await claimGasless(evmOf(on).url, swap.toEvm)));
      return swap;
    },
  },
  {
    direction: 'arkade-evm',
    name: 'the client claims by itself',
    async play(on) {
      const swap = await openToEvm(on, false);
      const { world } = evmOf(on);
      await world.give(swap.toEvm.account.address, coin, 10n ** 18n);
      await claimed(on, swap, () => claimAlone(world.endpoints.rpcUrl, swap.toEvm));
      return swap;
    },
  },
  {
    direction: 'arkade-evm',
    name: 'nobody claims',
    async play(on) {
      const swap = await openToEvm(on, true);
      const { record } = swap;
      await on.until('the lock', (node) => node.at(record.id) === 'locked');
      await on.world.advance(record.evm_refund_locktime - on.world.now() + 60);
      await on.until('returned', (node) => node.at(record.id) === 'returned');
      await on.until('the refund', async () => {
        if (!(await on.fates(record)).some(({ spent }) => spent === 'unspent')) return true;
        await on.ask((node) => on.client.collabRefund(node, record)).catch(() => pause(20));
        return false;
      });
      await on.until('refunded', (node) => node.at(record.id) === 'refunded');
      return swap;
    },
  },
  {
    direction: 'lightning-evm',
    name: 'the claim is relayed',
    async play(on) {
      const swap = await openHeldToEvm(on, true);
      await claimed(on, swap, async () => accepted(await claimGasless(evmOf(on).url, swap.toEvm)));
      return swap;
    },
  },
  {
    direction: 'lightning-evm',
    name: 'the client claims by itself',
    async play(on) {
      const swap = await openHeldToEvm(on, false);
      const { world } = evmOf(on);
      await world.give(swap.toEvm.account.address, coin, 10n ** 18n);
      await claimed(on, swap, () => claimAlone(world.endpoints.rpcUrl, swap.toEvm));
      return swap;
    },
  },
  {
    direction: 'lightning-evm',
    name: 'nobody claims',
    async play(on) {
      const swap = await openHeldToEvm(on, true);
      const { record } = swap;
      await on.until('the lock', (node) => node.at(record.id) === 'locked');
      await on.world.advance(record.evm_refund_locktime - on.world.now() + 60);
      await on.until('the payment given back', (node) => node.at(record.id) === 'refunded');
      return swap;
    },
  },
  {
    direction: 'lightning-evm',
    name: 'nobody pays',
    async play(on) {
      const toEvm = await opened(() => lightningToEvm(evmOf(on).url, wishOf(on, true)));
      const record = toEvm.record as unknown as LightningEvmRecord;
      await on.world.advance(hour);
      await on.until('lapsed', (node) => node.at(record.id) === 'lapsed');
      return { hash: record.hash_lock.slice(2), record, toEvm };
    },
  },
  {
    direction: 'evm-lightning',
    name: 'the client funds by itself',
    async play(on) {
      const swap = await openFromEvm(on, { gasless: false });
      await fund(on, swap, false);
      await on.until('claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'evm-lightning',
    name: 'the funding is relayed',
    async play(on) {
      const swap = await openFromEvm(on, { gasless: true });
      await fund(on, swap, true);
      await on.until('claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'evm-lightning',
    name: 'the payee gives the payment back, and both sign the refund',
    async play(on) {
      const swap = await openFromEvm(on, { gasless: true, hold: true });
      const { record, hash, fromEvm } = swap;
      await fund(on, swap, true);
      await on.until('the payment', () => on.world.lightning.invoice('outside', hash)?.state === 'accepted');
      on.world.lightning.release(hash, 'fails');
      await on.until('refunded', async (node) => {
        if (node.at(record.id) === 'refunded') return true;
        await askBack(on, fromEvm);
        return false;
      });
      return swap;
    },
  },
  {
    direction: 'evm-arkade',
    name: 'the client funds by itself and claims',
    async play(on) {
      const swap = await openToArkade(on, false);
      await fund(on, swap, false);
      await lockedOnArkade(on, swap);
      await on.client.claim(swap.record, asPreimage(swap.fromEvm.secret));
      await on.until('claimed', (node) => node.at(swap.record.id) === 'claimed');
      return swap;
    },
  },
  {
    direction: 'evm-arkade',
    name: 'the funding is relayed, nobody claims, and both sign the refund',
    async play(on) {
      const swap = await openToArkade(on, true);
      const { record, fromEvm } = swap;
      await fund(on, swap, true);
      await lockedOnArkade(on, swap);
      await on.world.advance(record.vhtlc_refund_locktime - on.world.now() + 3 * hour);
      await on.until('refunded', async (node) => {
        if (node.at(record.id) === 'refunded') return true;
        if (node.at(record.id) === 'returned') await askBack(on, fromEvm);
        return false;
      });
      return swap;
    },
  },
];

test('every direction of this file has a story', () => coversItsOwn(inEachFile.providers, 'in-process-evm', stories));

test.each(stories)(
  'fault 33: $direction: when $name, the node may die at any boundary',
  { timeout: 3_600_000 },
  (story) => atEveryBoundary(`${story.direction}, ${story.name}`, (dieAt) => playMortal(story, dieAt), looks),
);
