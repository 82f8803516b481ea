import { z } from 'zod';
import { onlyIf } from '../only-if-shape.ts';
import { bytes, effectShapes, listOf, outpoint, sats, txid, unix, type EffectsOf } from '../shape.ts';
import { onChainCoin, vhtlcCoin } from './shape.ts';

const purpose = z.enum(['lock', 'claim', 'refund']);
/** What a transaction does to a VHTLC: the service locks, the receiver claims, the sender refunds. */
export type Purpose = z.infer<typeof purpose>;

const taking = z.enum(['claim', 'refund']);
const yes = z.literal(true).exactOptional();

/**
 * A transaction that was prepared. `coin`: the one of the VHTLC that it takes, which may leave the operator meanwhile;
 * left out of a lock.
 */
const onItsWay = { purpose, txid, coin: outpoint.exactOptional(), onlyIf: onlyIf.exactOptional() };

const effects = {
  /**
   * `ownScript`: nobody but this swap pays the script, so that a coin of the amount there is the lock, made already.
   */
  'vhtlc.lock': { script: bytes, amount: sats, minExpiry: unix, ownScript: yes },
  /** `onlyIf`: of one that shows our secret; too late by the clocks, none is prepared. */
  'vhtlc.claim': { ...vhtlcCoin, onlyIf: onlyIf.exactOptional() },
  'vhtlc.refund': vhtlcCoin,
  'vhtlc.submit': onItsWay,
  'vhtlc.finalize': onItsWay,
  /** `taken`: a batch has the coin, they say; only whose that was is asked, and none is joined. */
  'vhtlc.settle': { purpose: taking, taken: yes, ...vhtlcCoin },
  /**
   * Takes a coin that left the operator for the chain, once it is mined: prepares, and sends nothing. `leastRate` in
   * sats per virtual byte, above 0 for a bump.
   */
  'vhtlc.exit': { purpose: taking, leastRate: z.number(), ...vhtlcCoin },
  /** Takes coins of the Arkade wallet that lie on the chain home: prepares, and sends nothing. `leastRate` as above. */
  'arkade.sweep': { coins: listOf(onChainCoin), leastRate: z.number() },
  /**
   * Brings a coin to the chain by what was saved of its way there, one transaction after the other, each with a child
   * that pays for it; all fees together are at most `mostFee`. By `deadline` it should be there.
   */
  'arkade.unroll': { coin: outpoint, mostFee: sats, deadline: unix.exactOptional() },
};

/** What a machine asks of the Arkade operator. */
export type ArkadeEffect = EffectsOf<typeof effects>;
export const arkadeShapes = effectShapes(effects);
