import { Transaction } from '@scure/btc-signer';
import { expect, test } from 'vitest';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import type { LightningContext } from '../../engine/runtime/networks/lightning/context.ts';
import { cancelHold } from '../../engine/runtime/networks/lightning/hold.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { lightningArkadeTerms } from '../swap/cases.ts';
import { lightningBitcoinTerms } from '../swap/lightning-bitcoin-cases.ts';
import { lightningEvmTerms } from '../swap/lightning-evm-cases.ts';

/* What a restored copy forgot of a lock of ours: the payment for it is not given back (facts/faults.md 5). */

const arkade = { coins: async () => [] as { amount: bigint }[] };
const bitcoin = { coins: async () => [] as { amount: bigint }[] };
const bitcoinWallet = { paymentTo: async (): Promise<object | null> => null };
const evm = {
  isActive: async () => false,
  tip: async () => ({ height: lightningEvmTerms.since + 12_000 }),
  events: async (_: { from: number; to: number }) => [] as object[],
};
const event = (is: string) => ({ key: swapKey(lightningEvmTerms.lock), what: { is } });
const [onArkade, onBitcoin] = [lightningArkadeTerms, lightningBitcoinTerms].map(({ targetAmount }) => targetAmount);

/** Whether the payment of a swap that was called off is given back. */
async function isCancelled(terms: object, ports: object, noted = true): Promise<boolean> {
  let cancelled = false;
  const context = {
    ports: {
      lightning: {
        hold: async () => ({ is: 'held' }),
        async cancel() {
          cancelled = true;
        },
      },
      arkade,
      bitcoin,
      bitcoinWallet,
      [lightningEvmTerms.network]: evm,
      ...ports,
    },
    store: {
      intents: { has: (act: string) => act === 'invoice' || noted },
      swaps: { byId: () => ({ progress: { at: 'stopped' }, terms }) },
    },
    row: { subject: 'a' },
    answer: () => undefined,
  } as unknown as LightningContext;
  const why = await cancelHold({ do: 'hold.cancel', hash: new Uint8Array(32) as never }, context).catch(
    (cause: unknown) => cause,
  );
  expect(why instanceof NotYet ? why.alarm : why === undefined && cancelled).toBe(true);
  return cancelled;
}

test('where nothing of ours is out it goes back', async () => {
  for (const terms of [lightningArkadeTerms, lightningBitcoinTerms, lightningEvmTerms])
    expect(await isCancelled(terms, {})).toBe(true);
});

test('where our lock is out it stays, and its owner is told', async () => {
  const at = (amount: bigint | undefined) => ({ coins: async () => [{ amount: (amount ?? 0n) - 1n }, { amount }] });
  expect(await isCancelled(lightningArkadeTerms, { arkade: at(onArkade) })).toBe(false);
  expect(await isCancelled(lightningBitcoinTerms, { bitcoin: at(onBitcoin) })).toBe(false);
  const active = { ...evm, isActive: async () => true };
  expect(await isCancelled(lightningEvmTerms, { [lightningEvmTerms.network]: active })).toBe(false);
});

test('where our lock was claimed it stays as well', async () => {
  const wallet = { paymentTo: async () => ({ txid: 'ab', vout: 0 }) };
  expect(await isCancelled(lightningBitcoinTerms, { bitcoinWallet: wallet })).toBe(false);
  const chain = (...events: string[]) => ({
    [lightningEvmTerms.network]: {
      ...evm,
      events: async ({ from }: { from: number }) => (from <= lightningEvmTerms.since ? events.map(event) : []),
    },
  });
  expect(await isCancelled(lightningEvmTerms, chain('created', 'redeemed'))).toBe(false);
  expect(await isCancelled(lightningEvmTerms, chain('created', 'refunded'))).toBe(true);
});

test('fault 155, bitcoin: what ever paid the script is proven by its bytes, to the end of the search', async () => {
  const { htlcScript: script, targetAmount: amount } = lightningBitcoinTerms;
  const bytes = new Transaction({ allowUnknownOutputs: true });
  bytes.addInput({ txid: 'ab'.repeat(32), index: 0 });
  bytes.addOutput({ script, amount });
  const shown = (over: boolean, ...amounts: bigint[]) => ({
    bitcoin: {
      ...bitcoin,
      payments: async () => ({ payments: amounts.map((one) => ({ txid: 'ab', amount: one, spent: true })), over }),
      transaction: async () => ({ bytes: bytes.unsignedTx, height: 1 }),
    },
  });
  expect(await isCancelled(lightningBitcoinTerms, shown(true, 1n, amount))).toBe(false);
  expect(await isCancelled(lightningBitcoinTerms, shown(true, 1n))).toBe(true);
  expect(await isCancelled(lightningBitcoinTerms, shown(false))).toBe(false);
});

test('where more blocks passed than are read it stays, for nobody knows', async () => {
  const { network, since } = lightningEvmTerms;
  const long = { [network]: { ...evm, tip: async () => ({ height: since + 200_001 }) } };
  expect(await isCancelled(lightningEvmTerms, long)).toBe(false);
});

test('a database that was not restored asks no network', async () => {
  const none = () => Promise.reject(new Error('a network was read'));
  expect(await isCancelled(lightningArkadeTerms, { arkade: { coins: none } }, false)).toBe(true);
});
