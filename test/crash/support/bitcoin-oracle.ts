import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { p2wpkh } from '@scure/btc-signer';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { regtest } from '../../stories/client/esplora.ts';
import type { BitcoinReader, BitcoinTx } from './bitcoin-reader.ts';
import type { SwapRecord } from './verdict.ts';

/** A coin at the HTLC of a swap, and how it was taken; `unread` by something that fits neither condition. */
export interface BitcoinFate {
  readonly outpoint: string;
  readonly amount: bigint;
  readonly spent: 'unspent' | 'claim' | 'refund' | 'unread';
  /** What took it, and whether that stands in a block. */
  readonly by: { readonly txid: string; readonly mined: boolean } | null;
}

/** What a swap left on the Bitcoin chain. */
export type BitcoinLeg = readonly BitcoinFate[];

/** What became of the node's bitcoin, traced from coin to coin through the chain. */
export interface Traced {
  /** What nobody has spent yet of all that only the node can sign for. */
  readonly held: bigint;
  /** What its transactions paid to miners, each. */
  readonly fees: ReadonlyMap<string, bigint>;
}

export interface BitcoinOracle {
  readonly reader: BitcoinReader;
  /** Says where the node's first coins lie. */
  know(addresses: readonly string[]): void;
  legOf(record: SwapRecord): Promise<BitcoinLeg | undefined>;
  trace(records: readonly SwapRecord[]): Promise<Traced>;
}

type OnBitcoin = SwapRecord & { readonly btc_htlc_address: string };

export function hasBitcoin(record: SwapRecord): record is OnBitcoin {
  return 'btc_htlc_address' in record;
}

/** HASH160 of the secret, hex text. */
function hashOf(record: OnBitcoin): string {
  const hash = ('btc_hash_lock' in record ? record.btc_hash_lock : record.hash_lock).replace(/^0x/, '');
  return hash.length === 40 ? hash : toHex(ripemd160(fromHex(hash)));
}

/**
 * The forms have their items in their own order: a claim is the one of four items (facts/onchain.md 1, 2). By the key
 * of both it is a claim, but for a refund of the client's to its own key.
 */
function takenBy(
  record: OnBitcoin,
  witness: readonly string[],
  paid: readonly (string | null)[],
): BitcoinFate['spent'] {
  if (witness.length === 1 && 'btc_user_claim_pk' in record) return 'claim';
  if (witness.length === 1 && 'btc_user_refund_pk' in record && record.btc_user_refund_pk !== undefined) {
    const { address: own } = p2wpkh(fromHex(record.btc_user_refund_pk), regtest);
    return own !== undefined && paid.includes(own) ? 'refund' : 'claim';
  }
  if (witness.length === 3) return 'refund';
  const isSecret = (item: string) => item.length === 64 && toHex(ripemd160(sha256(fromHex(item)))) === hashOf(record);
  return witness.length === 4 && witness.slice(0, 2).some(isSecret) ? 'claim' : 'unread';
}

export function openBitcoinOracle(reader: BitcoinReader): BitcoinOracle {
  const deposits = new Set<string>();

  function fatesOf(record: OnBitcoin, transactions: readonly BitcoinTx[]): BitcoinFate[] {
    const spends = new Map(
      transactions.flatMap(({ txid, height, inputs, outputs }) => {
        const paid = outputs.map(({ address }) => address);
        return inputs.map(({ spends: coin, witness }) => [coin, { txid, height, witness, paid }] as const);
      }),
    );
    return transactions.flatMap(({ txid, outputs }) =>
      outputs.flatMap(({ address, amount }, vout): BitcoinFate[] => {
        if (address !== record.btc_htlc_address) return [];
        const outpoint = `${txid}:${vout}`;
        const spend = spends.get(outpoint);
        return [
          spend === undefined
            ? { outpoint, amount, spent: 'unspent', by: null }
            : {
                outpoint,
                amount,
                spent: takenBy(record, spend.witness, spend.paid),
                by: { txid: spend.txid, mined: spend.height !== null },
              },
        ];
      }),
    );
  }

  return {
    reader,
    know(addresses) {
      for (const address of addresses) deposits.add(address);
    },
    async legOf(record) {
      return hasBitcoin(record) ? fatesOf(record, await reader.transactions()) : undefined;
    },
    async trace(records) {
      const transactions = await reader.transactions();
      const onBitcoin = records.filter(hasBitcoin);
      const htlcs = new Set(onBitcoin.map(({ btc_htlc_address: address }) => address));
      const own = new Map<string, bigint>();
      const fees = new Map<string, bigint>();
      // Only the node claims what its clients pay, and takes back what it pays to them.
      const taking = new Set(
        onBitcoin.flatMap((record) =>
          fatesOf(record, transactions)
            .filter(({ spent }) => spent === ('btc_server_refund_pk' in record ? 'refund' : 'claim'))
            .map(({ by }) => by?.txid),
        ),
      );
      for (const { txid, inputs, outputs, fee } of transactions) {
        const isOurs = taking.has(txid) || inputs.some(({ spends }) => own.has(spends));
        for (const { spends } of inputs) own.delete(spends);
        if (isOurs) fees.set(txid, fee);
        for (const [vout, { address, amount }] of outputs.entries()) {
          if (address === null || htlcs.has(address)) continue;
          if (isOurs || deposits.has(address)) own.set(`${txid}:${vout}`, amount);
        }
      }
      return { held: [...own.values()].reduce((sum, amount) => sum + amount, 0n), fees };
    },
  };
}
