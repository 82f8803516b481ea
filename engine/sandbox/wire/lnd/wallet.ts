import { status } from '@grpc/grpc-js';
import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import { addressOf } from '../../world/bitcoin/address.ts';
import type { BitcoinWorld } from '../../world/bitcoin/chain.ts';
import type { Tx } from '../../world/bitcoin/tx.ts';
import type { LightningWorld } from '../../world/lightning/lightning.ts';
import { kindOf, type ScriptKind } from '../../world/bitcoin/script-kind.ts';
import type { AddressKind } from '../../world/lightning/wallet.ts';
import { type Message, noAnswer, RpcError, text, type Unary, whole } from './calls.ts';

const addressKinds: Readonly<Record<string, AddressKind>> = {
  WITNESS_PUBKEY_HASH: 'p2wpkh',
  NESTED_PUBKEY_HASH: 'np2wpkh',
  TAPROOT_PUBKEY: 'p2tr',
};

/** A coin from before all that is listed, in sats: what the node would close its channel with. */
const oldCoin = 1_000_000n;

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
      const [total, confirmed] = [oldCoin + sum(bitcoin.coinsOf), oldCoin + sum(bitcoin.confirmedCoinsOf)];
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
        .map((one) => messageOf(one, bitcoin.tip().height, world.walletScripts())),
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

const outputTypes: Readonly<Record<ScriptKind, string>> = {
  p2pkh: 'SCRIPT_TYPE_PUBKEY_HASH',
  p2sh: 'SCRIPT_TYPE_SCRIPT_HASH',
  v0_p2wpkh: 'SCRIPT_TYPE_WITNESS_V0_PUBKEY_HASH',
  v0_p2wsh: 'SCRIPT_TYPE_WITNESS_V0_SCRIPT_HASH',
  v1_p2tr: 'SCRIPT_TYPE_WITNESS_V1_TAPROOT',
  anchor: 'SCRIPT_TYPE_WITNESS_UNKNOWN',
  op_return: 'SCRIPT_TYPE_NULLDATA',
  unknown: 'SCRIPT_TYPE_NON_STANDARD',
};

/** lnd lists whatever holds the key or hash of an address as its own, also in a form that its balance leaves out. */
function messageOf({ tx, height }: WalletMove, tip: number, scripts: readonly Uint8Array[]): Message {
  const ours = new Set(scripts.map(payloadOf));
  const outputs = tx.outputs.map(({ script, amount }) => ({ script, amount, isOurs: ours.has(payloadOf(script)) }));
  return {
    tx_hash: tx.txid,
    amount: String(outputs.reduce((sum, { amount, isOurs }) => (isOurs ? sum + amount : sum), 0n)),
    num_confirmations: height === null ? 0 : tip - height + 1,
    block_height: height ?? 0,
    raw_tx_hex: toHex(tx.bytes),
    previous_outpoints: tx.inputs.map(({ spends }) => ({ outpoint: outpointKey(spends), is_our_output: false })),
    output_details: outputs.map(({ script, amount, isOurs }, index) => ({
      output_type: outputTypes[kindOf(script)],
      address: addressOf(script) ?? '',
      pk_script: toHex(script),
      output_index: String(index),
      amount: String(amount),
      is_our_address: isOurs,
    })),
  };
}

/** The key or hash that a script pays to; the script itself where it names none. */
function payloadOf(script: Uint8Array): string {
  switch (kindOf(script)) {
    case 'p2pkh':
      return toHex(script.subarray(3, 23));
    case 'p2sh':
    case 'v0_p2wpkh':
    case 'v0_p2wsh':
    case 'v1_p2tr':
      return toHex(script.subarray(2, script.length === 23 ? 22 : undefined));
    default:
      return toHex(script);
  }
}
