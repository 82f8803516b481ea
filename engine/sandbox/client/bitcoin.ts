import { esplora } from '../../adapters/bitcoin/esplora.ts';
import { asHash160, asPreimage, asPublicKey, asSha256, xOnlyOf, type PublicKey } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import { unix } from '../../domain/time.ts';
import type { CoinRef } from '../../legs/psbt.ts';
import { addressOfScript } from '../../legs/onchain/address.ts';
import type { ChainSource } from '../../adapters/bitcoin/chain-source.ts';
import { buildHtlcSpend } from '../../legs/onchain/htlc-spend.ts';
import {
  htlcAddress,
  htlcScript,
  type HtlcTerms,
  type MusigHtlcTerms,
  type TimeHtlcTerms,
} from '../../legs/onchain/htlc.ts';
import { hash160Of, hash160OfSha256 } from '../../legs/secret.ts';
import { spendTogether, type Cosign } from './joint.ts';
import { keyPathScript } from '../../legs/onchain/taproot.ts';

/** What a swap from Bitcoin says of the HTLC that the client funds. */
export interface OwnHtlc {
  readonly hash_lock: string;
  readonly server_vhtlc_pk: string;
  readonly btc_htlc_address: string;
  readonly btc_htlc_witness_script?: string | undefined;
  readonly btc_refund_locktime: number;
}

/** What a swap to Bitcoin says of the HTLC that the service funded. */
export interface HtlcToClaim {
  readonly btc_hash_lock: string;
  readonly btc_server_refund_pk: string;
  readonly btc_htlc_address: string;
  readonly btc_refund_locktime: number;
  readonly target_amount: string;
}

/** The same where its key is the aggregate of both keys, and its refund opens at a height. */
export interface AggregateToClaim {
  readonly hash_lock: string;
  readonly btc_server_refund_pk: string;
  readonly btc_htlc_address: string;
  readonly btc_refund_locktime: number;
  readonly target_amount: string;
}

/** The same of one that the client funds. */
export interface OwnAggregate {
  readonly hash_lock: string;
  readonly btc_server_claim_pk: string;
  readonly btc_htlc_address: string;
  readonly btc_refund_locktime: number;
}

/** Spends of HTLCs, each of one coin to the client's own address. */
export interface Spent {
  readonly txids: readonly Txid[];
  readonly fee: Sats;
}

/**
 * A client's account on the Bitcoin chain, over an Esplora server. Nothing is paid or signed for other terms than it
 * derives itself.
 */
export interface BitcoinSide {
  readonly address: string;
  /** Throws where the record's address is not what its terms and the client's key make. */
  check(record: OwnHtlc): void;
  checkAggregate(record: OwnAggregate): void;
  on(esploraUrl: string): {
    /** Sats at the address, in blocks or not. */
    balance(): Promise<bigint>;
    /** Takes what the service funded with the secret, unconfirmed as it may be. */
    claim(record: HtlcToClaim, secret: Uint8Array): Promise<Spent>;
    /** The same by the script of an HTLC with the aggregate of both keys. */
    claimAggregate(record: AggregateToClaim, secret: Uint8Array): Promise<Spent>;
    /** The same by the key of both, which shows nobody on the chain the secret: `cosign` brings the service's half. */
    claimTogether(record: AggregateToClaim, secret: Uint8Array, cosign: Cosign): Promise<Spent>;
    /** Takes every coin that lies at the HTLC back, once median time past is above its locktime. */
    refund(record: OwnHtlc): Promise<Spent>;
    /** The same of one with the aggregate of both keys, once the tip is at its height. */
    refundAggregate(record: OwnAggregate): Promise<Spent>;
    /** The same by the key of both, before it. */
    refundTogether(record: OwnAggregate, cosign: Cosign): Promise<Spent>;
  };
}

interface Made {
  readonly bytes: Uint8Array;
  readonly txid: Txid;
  readonly fee: bigint;
}

type Make = (coin: CoinRef) => Promise<Made | null> | Made | null;

/** Takes each coin of the HTLC that has as much as that. */
async function spendAll(chain: ChainSource, terms: HtlcTerms, make: Make, least: bigint): Promise<Spent> {
  const coins = await chain.coins([htlcScript(terms).pkScript]);
  const enough = coins.filter(({ amount }) => amount >= least);
  if (enough.length === 0) throw new Error(`No coin of ${least} sats lies at the HTLC: nothing is taken.`);
  const txids: Txid[] = [];
  let fee = 0n;
  for (const { outpoint, amount } of enough) {
    const made = await make({ ...outpoint, amount });
    if (made === null) throw new Error(`The coin of ${amount} sats is not worth its fee.`);
    const answer = await chain.broadcast(made.bytes);
    if (answer.is !== 'accepted') throw new Error(`The network refuses the transaction: ${answer.reason}.`);
    txids.push(made.txid);
    fee += made.fee;
  }
  return { txids, fee: fee as Sats };
}

/** Sats per virtual byte, as published clients pay. */
const feeRate = 2;

export function bitcoinSideOf(publicKey: PublicKey, secretKey: Uint8Array): BitcoinSide {
  const own = keyPathScript(xOnlyOf(publicKey));

  function checked<H extends HtlcTerms>(terms: H, { btc_htlc_address }: { readonly btc_htlc_address: string }): H {
    const derived = htlcAddress(terms, 'regtest');
    if (derived !== btc_htlc_address)
      throw new Error(`The HTLC of the record is ${btc_htlc_address}, its terms make ${derived}: nothing is signed.`);
    return terms;
  }

  const ownTerms = (record: OwnHtlc): TimeHtlcTerms =>
    checked(
      {
        form: record.btc_htlc_witness_script === undefined ? 'p2tr' : 'p2wsh',
        hash: asHash160(fromHex(record.hash_lock)),
        claimer: asPublicKey(fromHex(record.server_vhtlc_pk)),
        refunder: publicKey,
        refundLocktime: unix(record.btc_refund_locktime),
      },
      record,
    );

  const termsToClaim = (record: HtlcToClaim): TimeHtlcTerms =>
    checked(
      {
        form: 'p2tr',
        hash: asHash160(fromHex(record.btc_hash_lock)),
        claimer: publicKey,
        // The script has only its x coordinate.
        refunder: asPublicKey(fromHex(`02${record.btc_server_refund_pk}`)),
        refundLocktime: unix(record.btc_refund_locktime),
      },
      record,
    );

  const aggregateToClaim = (record: AggregateToClaim, secret: Uint8Array): MusigHtlcTerms =>
    checked(
      {
        form: 'musig',
        hash: hash160Of(asPreimage(secret)),
        claimer: publicKey,
        refunder: asPublicKey(fromHex(record.btc_server_refund_pk)),
        provider: 'refunder',
        sizeGuard: true,
        refundHeight: record.btc_refund_locktime,
      },
      record,
    );

  const ownAggregate = (record: OwnAggregate): MusigHtlcTerms =>
    checked(
      {
        form: 'musig',
        hash: hash160OfSha256(asSha256(fromHex(record.hash_lock.slice(2)))),
        claimer: asPublicKey(fromHex(record.btc_server_claim_pk)),
        refunder: publicKey,
        provider: 'claimer',
        sizeGuard: false,
        refundHeight: record.btc_refund_locktime,
      },
      record,
    );

  return {
    address: addressOfScript(own, 'regtest'),
    check: (record) => void ownTerms(record),
    checkAggregate: (record) => void ownAggregate(record),
    on(esploraUrl) {
      const chain = esplora({ url: esploraUrl });

      const target = ({ target_amount }: { readonly target_amount: string }) => BigInt(target_amount);
      const plan = (coin: CoinRef) => ({ coin, to: own, feeRate, mostFee: coin.amount as Sats, secret: secretKey });
      const claim = (terms: HtlcTerms, secret: Uint8Array, least: bigint) =>
        spendAll(chain, terms, (coin) => buildHtlcSpend(terms, { ...plan(coin), preimage: asPreimage(secret) }), least);
      const refund = (terms: HtlcTerms) => spendAll(chain, terms, (coin) => buildHtlcSpend(terms, plan(coin)), 1n);
      const together = (terms: MusigHtlcTerms, cosign: Cosign, least: bigint) =>
        spendAll(chain, terms, (coin) => spendTogether(terms, { ...plan(coin), cosign }), least);

      return {
        async balance() {
          const coins = await chain.coins([own]);
          return coins.reduce((sum, { amount }) => sum + amount, 0n);
        },
        claim: (record, secret) => claim(termsToClaim(record), secret, target(record)),
        claimAggregate: (record, secret) => claim(aggregateToClaim(record, secret), secret, target(record)),
        claimTogether: (record, secret, cosign) => together(aggregateToClaim(record, secret), cosign, target(record)),
        refund: (record) => refund(ownTerms(record)),
        refundAggregate: (record) => refund(ownAggregate(record)),
        refundTogether: (record, cosign) => together(ownAggregate(record), cosign, 1n),
      };
    },
  };
}
