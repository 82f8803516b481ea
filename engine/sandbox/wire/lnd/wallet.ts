import { status } from '@grpc/grpc-js';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { addressOf } from '../../world/bitcoin/address.ts';
import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import type { Tx } from '../../world/bitcoin/tx.ts';
import type { LightningWorld } from '../../world/lightning/lightning.ts';
import type { AddressKind } from '../../world/lightning/wallet.ts';
import { type Message, noAnswer, RpcError, text, type Unary, whole } from './calls.ts';

const addressKinds: Readonly<Record<string, AddressKind>> = {
  WITNESS_PUBKEY_HASH: 'p2wpkh',
  NESTED_PUBKEY_HASH: 'np2wpkh',
  TAPROOT_PUBKEY: 'p2tr',
};

/** The wallet that the node has on the chain. Nothing is leased here. */
export function walletCalls(
  world: LightningWorld,
  bitcoin: BitcoinWorld,
): Record<'walletBalance' | 'newAddress' | 'getTransactions', Unary> {
  return {
    walletBalance() {
      const sum = (coinsOf: (script: Uint8Array) => readonly { readonly amount: bigint }[]) =>
        world
          .walletScripts()
          .flatMap(coinsOf)
          .reduce((total, coin) => total + coin.amount, 0n);
      const [total, confirmed] = [sum(bitcoin.coinsOf), sum(bitcoin.confirmedCoinsOf)];
      return {
        total_balance: String(total),
        confirmed_balance: String(confirmed),
        unconfirmed_balance: String(total - confirmed),
        locked_balance: '0',
      };
    },
    newAddress(request) {
      if (world.faults().chain === 'away') return noAnswer;
      const type = text(request['type']);
      const kind = addressKinds[type.replace('UNUSED_', '')];
      if (kind === undefined) throw new RpcError(status.UNKNOWN, `unknown address type: ${type}`);
      const last = type.startsWith('UNUSED_') ? world.walletScripts(kind).at(-1) : undefined;
      const unused =
        last !== undefined && bitcoin.history(last).confirmed.length + bitcoin.history(last).waiting.length === 0;
      return { address: addressOf(unused ? last : world.newAddress(kind)) };
    },
    getTransactions: (request) => ({
      transactions: walletHistory(world, bitcoin)
        .filter(({ height }) => height === null || height >= whole(request['start_height']))
        .map((one) => messageOf(one, bitcoin.tip().height)),
    }),
  };
}

/** A transaction that pays the wallet, with the sats that it brought; nobody here spends what lies there. */
export interface WalletMove {
  readonly tx: Tx;
  readonly amount: bigint;
  readonly height: number | null;
}

/** Blocks in their order, then what waits. */
export function walletHistory(world: LightningWorld, bitcoin: BitcoinWorld): readonly WalletMove[] {
  const scripts = world.walletScripts();
  const ours = new Set(scripts.map(toHex));
  const txids = new Set(
    scripts.flatMap((script) => [...bitcoin.history(script).confirmed, ...bitcoin.history(script).waiting]),
  );
  return [...txids]
    .flatMap((txid) => {
      const row = bitcoin.transaction(txid);
      if (row === undefined) return [];
      const came = row.tx.outputs.filter(({ script }) => ours.has(toHex(script)));
      return [{ ...row, amount: came.reduce((sum, { amount }) => sum + amount, 0n) }];
    })
    .sort((a, b) => (a.height ?? Number.POSITIVE_INFINITY) - (b.height ?? Number.POSITIVE_INFINITY));
}

function messageOf({ tx, amount, height }: WalletMove, tip: number): Message {
  return {
    tx_hash: tx.txid,
    amount: String(amount),
    num_confirmations: height === null ? 0 : tip - height + 1,
    block_height: height ?? 0,
    raw_tx_hex: toHex(tx.bytes),
    previous_outpoints: tx.inputs.map(({ spends }) => ({ outpoint: outpointKey(spends), is_our_output: false })),
  };
}
