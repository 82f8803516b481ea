import { sha256 } from '@noble/hashes/sha2.js';
import { setTimeout as pause } from 'node:timers/promises';
import { toHex } from '../../engine/domain/hex.ts';
import type { EvmArkadeLock } from '../crash/support/wallet.ts';
import type { Bench } from './bench-node.ts';
import { claimsSent } from './evm-claims.ts';
import {
  createEvmArkade,
  createLightningEvm,
  lockFor,
  signedClaim,
  type Depositor,
  type Lockable,
  type OpenArkadeEvm,
} from './evm-swaps.ts';
import { createBitcoinArkade, createBitcoinEvm, createBitcoinLightning } from './onchain-swaps.ts';
import { first } from './shown-on-bitcoin.ts';
import type { Moments, Way } from './shown.ts';
import { invoices, reached } from './swaps.ts';
import { firstOf, paymentsHeld, releasePayments } from './trace.ts';

const patienceMs = 60_000;
/** Of an invoice: enough for the fees of the Bitcoin chain. */
const amount = 20_000;

/** Clients claim on Arkade; the moment is that at which the operator makes the claim public. */
export function shownOnArkade(bench: Bench, depositor: Depositor): readonly Way[] {
  return [
    {
      direction: 'bitcoin-arkade',
      async open() {
        const { record, secret } = await createBitcoinArkade(bench);
        await payOnChain(bench, record);
        return async () => {
          await reached(bench, record.id, 'serverfunded', patienceMs);
          const claim = await bench.wallet.claimReady(record, secret);
          return { show: () => claim().then(() => ({ visible: first('public') })), claimed: first('sent') };
        };
      },
    },
    {
      direction: 'evm-arkade',
      async open() {
        const { record, secret } = await createEvmArkade(bench, depositor);
        const hash = toHex(sha256(secret));
        await lockFor(record as unknown as Lockable, depositor);
        return async () => {
          await reached(bench, String(record['id']), 'serverfunded', patienceMs);
          const claim = await bench.wallet.claimReady(record as unknown as EvmArkadeLock, secret);
          return {
            show: () => claim().then(() => ({ visible: first('public') })),
            claimed: (trace) => claimsSent(trace).get(hash) ?? Number.NaN,
          };
        };
      },
    },
  ];
}

/** The node carries clients' claims on an EVM chain out; the moment is the block that has such a claim. */
export function shownOnEvm(bench: Bench, depositor: Depositor): readonly Way[] {
  async function show(swap: OpenArkadeEvm): Promise<Moments> {
    const body = await signedClaim(bench, swap, depositor);
    const relay = String((await bench.http().post(`/swap/${swap.record.id}/claim-gasless`, body))['tx_hash']);
    return {
      visible: (trace) => firstOf(trace, 'mined', relay),
      read: (trace) => firstOf(trace, 'log', relay),
    };
  }

  return [
    {
      direction: 'lightning-evm',
      async open() {
        const { record, secret } = await createLightningEvm(bench, depositor);
        const swap = { record, secret } as unknown as OpenArkadeEvm;
        const hash = toHex(sha256(secret));
        await bench.wallet.controls.lightningPay(String(record['bolt11_invoice']));
        return async () => {
          await reached(bench, swap.record.id, 'serverfunded', patienceMs);
          return { show: () => show(swap), claimed: (trace) => firstOf(trace, 'settle', hash) };
        };
      },
    },
    {
      direction: 'bitcoin-evm',
      async open() {
        const { record, secret } = await createBitcoinEvm(bench, depositor);
        const swap = { record, secret } as unknown as OpenArkadeEvm;
        await payOnChain(bench, record);
        return async () => {
          await reached(bench, swap.record.id, 'serverfunded', patienceMs);
          return { show: () => show(swap), claimed: first('sent') };
        };
      },
    },
  ];
}

/** A payment of the node that arrives shows it; none does before it is released. */
export function shownByPayments(bench: Bench): Way {
  return {
    direction: 'bitcoin-lightning',
    async open() {
      const [invoice] = await invoices(bench, 1, amount);
      if (invoice === undefined) throw new Error('no invoice was made');
      const { record } = await createBitcoinLightning(bench, invoice);
      await payOnChain(bench, record);
      return async () => ({
        async show() {
          for (const deadline = Date.now() + patienceMs; (await paymentsHeld(bench.traceUrl)) === 0; await pause(100))
            if (Date.now() > deadline) throw new Error('no payment is on its way');
          await releasePayments(bench.traceUrl, 'one');
          return { visible: first('paid') };
        },
        claimed: first('sent'),
      });
    },
  };
}

async function payOnChain({ wallet }: Bench, record: object): Promise<void> {
  const { btc_htlc_address: address, source_amount: sats } = record as Readonly<Record<string, unknown>>;
  await wallet.controls.bitcoinFaucet({ address: String(address), amount: Number(sats) });
}
