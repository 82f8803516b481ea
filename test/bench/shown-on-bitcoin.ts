import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { toHex } from '../../engine/domain/hex.ts';
import { sendBitcoin } from '../stories/client/esplora.ts';
import { claimHtlc, claimOf, type ToBitcoin, type ToHtlc } from '../stories/client/to-bitcoin.ts';
import type { Bench } from './bench-node.ts';
import { claimsSent } from './evm-claims.ts';
import { lockFor, type Depositor, type Lockable } from './evm-swaps.ts';
import { createArkadeBitcoin, createEvmBitcoin, createLightningBitcoin } from './onchain-swaps.ts';
import type { Moment, Ready, Way } from './shown.ts';
import { reached } from './swaps.ts';
import { firstOf, type Traced } from './trace.ts';

const patienceMs = 60_000;

/** Clients claim on the Bitcoin chain; the moment is that at which the node reads such a claim first. */
export function shownOnBitcoin(bench: Bench, depositor: Depositor): readonly Way[] {
  const { controls } = bench.wallet;
  const esplora = bench.endpoints.bitcoin.esploraUrl;

  /** An HTLC with the key of both. */
  function ready(swap: ToHtlc, claimed: Moment): () => Promise<Ready> {
    return async () => {
      const funded = await reached(bench, swap.id, 'serverfunded', patienceMs);
      return { show: async () => readOf(await claimHtlc(esplora, swap, funded)), claimed };
    };
  }

  return [
    {
      direction: 'evm-bitcoin',
      async open() {
        const { record, secret, key } = await createEvmBitcoin(bench, depositor);
        const hash = toHex(sha256(secret));
        await lockFor({ ...record, hash_lock: record['evm_hash_lock'] } as unknown as Lockable, depositor);
        return async () => {
          const funded = await reached(bench, String(record['id']), 'serverfunded', patienceMs);
          const swap = { record, secret, key } as unknown as ToBitcoin;
          const claim = hex.encode(claimOf(swap, funded, BigInt(String(funded['target_amount']))));
          return {
            show: async () => readOf(await sendBitcoin(esplora, claim)),
            claimed: (trace) => claimsSent(trace).get(hash) ?? Number.NaN,
          };
        };
      },
    },
    {
      direction: 'lightning-bitcoin',
      async open() {
        const { record, secret, key } = await createLightningBitcoin(bench);
        await controls.lightningPay(String(record['bolt11_invoice']));
        const hash = toHex(sha256(secret));
        return ready({ id: String(record['id']), record, secret, key }, (trace) => firstOf(trace, 'settle', hash));
      },
    },
    {
      direction: 'arkade-bitcoin',
      async open() {
        const { record, secret, key } = await createArkadeBitcoin(bench);
        const address = String(record['arkade_vhtlc_address']);
        await controls.arkadeFaucet({ address, amount: Number(record['source_amount']) });
        return ready({ id: String(record['id']), record, secret, key }, first('submit'));
      },
    },
  ];
}

function readOf(txid: string): { visible: Moment } {
  return { visible: (trace) => firstOf(trace, 'read', txid) };
}

/** Of whatever there is of it: nobody else does such a thing meanwhile. */
export function first(what: Traced['what']): Moment {
  return (trace) => trace.find((one) => one.what === what)?.at ?? Number.NaN;
}
