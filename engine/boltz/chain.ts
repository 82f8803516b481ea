import { z } from 'zod';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { readRawTx } from '../legs/raw-tx.ts';
import { bitcoinOf } from '../runtime/ports.ts';
import type { DoorContext } from './context.ts';
import { rawTxField, read } from './fields.ts';

/** Clients in Rust want a number for every chain that they know. */
const elsewhere = { 'L-BTC': 0 } as const;

/** GET chain/heights. */
export function readHeights({ context }: DoorContext) {
  const height = heightOf(context);
  return height === null ? away : { BTC: height, ...elsewhere };
}

/** GET chain/BTC/height. */
export function readHeight({ context }: DoorContext): { readonly height: number } | Refusal {
  const height = heightOf(context);
  return height === null ? away : { height };
}

/** GET chain/fees: sats per virtual byte. */
export function readFees({ context }: DoorContext) {
  const rate = context.networks.bitcoinRate();
  return rate === null ? away : { BTC: rate, ...elsewhere };
}

/** GET chain/BTC/fee. */
export function readFee({ context }: DoorContext): { readonly fee: number } | Refusal {
  const fee = context.networks.bitcoinRate();
  return fee === null ? away : { fee };
}

function heightOf({ networks }: DoorContext['context']): number | null {
  const bitcoin = networks.bitcoin();
  return bitcoin.state === 'connected' ? bitcoin.facts.height : null;
}

const away: Refusal = refuse('unavailable', 'The Bitcoin chain cannot be read now: try again later.');

const body = z.looseObject({ hex: rawTxField });

/** POST chain/BTC/transaction: a client's transaction to the chain, as any node takes it. */
export async function broadcast({ context }: DoorContext, given: unknown) {
  const request = read(body, given);
  if (isRefusal(request)) return request;
  const tx = readRawTx(request.hex);
  if (tx === null) return refuse('invalid', 'hex: it is no transaction');
  const answer = await bitcoinOf(context.runtime.ports).passOn(request.hex);
  switch (answer.is) {
    case 'accepted':
      return { id: tx.txid };
    // Some clients know by this name that somebody else took the coin.
    case 'spent':
      return refuse('invalid', `bad-txns-inputs-missingorspent: ${answer.reason}`);
    case 'later':
    case 'refused':
      return refuse('invalid', answer.reason);
  }
}

/**
 * Bytes of a transaction that is shown: no node hands on a larger one, and whoever asks for many that miners took would
 * fill the memory with them (facts/faults.md 177).
 */
const mostShown = 400_000;

/** GET chain/BTC/transaction/{txid}. */
export async function readTransaction({ context }: DoorContext, txid: string) {
  if (!/^[0-9a-f]{64}$/.test(txid)) return refuse('invalid', 'it takes the id of a transaction, 64 hex digits');
  const shown = await bitcoinOf(context.runtime.ports).glance(txid);
  if (shown === null) return refuse('not-found', 'no such transaction is known here');
  const tip = heightOf(context);
  if (shown.bytes.length > mostShown)
    return refuse('invalid', `it is larger than ${mostShown} bytes: ask a node of the Bitcoin chain for it`);
  const confirmations = shown.height === null || tip === null ? 0 : tip - shown.height + 1;
  return { hex: toHex(shown.bytes), confirmations };
}
