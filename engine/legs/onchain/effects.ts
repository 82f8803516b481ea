import { z } from 'zod';
import { leg } from '../leg.ts';
import { onlyIf } from '../only-if-shape.ts';
import {
  bytes,
  effectShapes,
  hash160,
  keyRef,
  listOf,
  locktime,
  outpoint,
  sats,
  txid,
  unix,
  type EffectsOf,
} from '../shape.ts';
import { change, htlcTerms, walletCoin } from './shape.ts';

const effects = {
  /**
   * Keeps a prepared transaction on the chain until it is buried; `spends` is an input of it, by which its rivals are
   * known, and `amount` what all its inputs hold. Capped, it pays no more before `raiseFrom`. By `deadline` it should
   * be mined. `push`: it is never replaced; when it waits, a child of its change pays for both, with its own fee of at
   * most `mostFee`. `onlyIf`: judged before it is sent for the first time. Too late, it is never sent. `yieldsTo`:
   * never sent against a spend that shows this hash's secret, for then the coin is whose secret it is. `funding`: what
   * made the coin, sent together with it where no source has that any more. `leg`: of the effect that prepared it.
   * `within`: blocks within which the owner wants it mined, where it has no deadline. `cancel`: where it may have been
   * sent and comes too late, this coin of it is taken back, by `by`, for else what it `holds` is lost.
   */
  'onchain.broadcast': {
    leg,
    txid,
    spends: outpoint,
    amount: sats,
    rate: z.number(),
    capped: z.boolean(),
    raiseFrom: unix.exactOptional(),
    deadline: locktime.exactOptional(),
    since: z.number(),
    yieldsTo: hash160.exactOptional(),
    funding: bytes.exactOptional(),
    push: z.strictObject({ change: walletCoin, mostFee: sats }).exactOptional(),
    onlyIf: onlyIf.exactOptional(),
    within: z.number().exactOptional(),
    cancel: z.strictObject({ coin: walletCoin, holds: sats, by: locktime }).exactOptional(),
  },
  /**
   * Pays an HTLC out of the Bitcoin wallet's confirmed coins, at a fee of at most `mostFee`: prepares, and sends
   * nothing. It signals no replacement (BIP-125). While coins that suffice wait for their block it waits with them,
   * until `lockBefore` by median time past. `scriptSince`: a height below which the script was never paid.
   */
  'htlc.fund': { script: bytes, amount: sats, mostFee: sats, lockBefore: unix, scriptSince: z.number() },
  /**
   * Claims or refunds a coin at an HTLC to our own wallet: prepares, and sends nothing. `leastRate` in sats per virtual
   * byte, above 0 for a bump. By `deadline` it should be mined, of a claim the client's refund locktime: the fee rises
   * towards it, within what the coin is worth. `funding`: what made the coin, for when no source has that any more.
   * `asksUntil`: of a claim by an HTLC with the key of both, which its client may sign with us before it is sent by the
   * script; not from then on. `onlyIf`: of one that shows our secret; too late by the clocks, none is prepared.
   */
  'htlc.spend': {
    purpose: z.enum(['claim', 'refund']),
    terms: htlcTerms,
    script: bytes,
    key: keyRef,
    coin: outpoint,
    funding: bytes.exactOptional(),
    leastRate: z.number(),
    deadline: locktime,
    asksUntil: locktime.exactOptional(),
    onlyIf: onlyIf.exactOptional(),
  },
  /**
   * Keeps the client's own claim of the coin that we funded in the mempool, and our funding under it, until a spend of
   * the coin is buried: with the secret known nothing else may take the coin. Where the swap's own broadcast of the
   * funding was interrupted, it ends with `onchain.final` of that.
   */
  'htlc.resend': { coin: outpoint, bytes },
  /**
   * Pays out of the Bitcoin wallet, at a fee of at most `mostFee`: prepares, and sends nothing. `earlier`: the coins of
   * payments of the same sats that were signed before and are held for dead, each of which the new one stays in
   * conflict with. `within`: blocks within which it is to be mined, six where left out.
   */
  'onchain.send': {
    script: bytes,
    amount: sats,
    mostFee: sats.exactOptional(),
    doubted: z.boolean().exactOptional(),
    earlier: listOf(listOf(walletCoin)).exactOptional(),
    within: z.number().exactOptional(),
  },
  /**
   * Joins coins of the Bitcoin wallet, or splits one, at a rate and a fee of at most these: prepares, and sends
   * nothing.
   */
  'onchain.consolidate': { mostRate: z.number(), mostFee: sats },
  /** Prepares the same payment again, from the same coins, at a fee of at most `mostFee`. */
  'onchain.bump': {
    script: bytes,
    amount: sats,
    replaces: z.strictObject({ coins: listOf(walletCoin), change, fee: sats }),
    leastRate: z.number(),
    mostFee: sats,
    doubted: z.boolean().exactOptional(),
    within: z.number().exactOptional(),
  },
};

/** What a machine asks of the Bitcoin chain and of the wallet on it. */
export type OnchainEffect = EffectsOf<typeof effects>;
export const onchainShapes = effectShapes(effects);

/**
 * What a transaction on the chain does: it takes a coin of a swap, or coins home from Arkade; pays for a transaction
 * that brings a coin from there ('unroll'), or makes the coins that do ('split'); pays out of the Bitcoin wallet, once
 * or again at a higher fee, or into it; funds an HTLC, pays for a funding that waits, or takes the coins of one that
 * came too late.
 */
export type OnchainPurpose =
  'claim' | 'refund' | 'exit' | 'send' | 'bump' | 'consolidate' | 'fund' | 'push' | 'cancel' | 'unroll' | 'split';
