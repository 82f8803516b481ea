import { createHash } from 'node:crypto';
import { asPreimage, type PublicKey } from '../../../engine/domain/hash.ts';
import { outpointKey, type Outpoint } from '../../../engine/domain/outpoint.ts';
import type { Sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { HtlcTerms, TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { htlcScript } from '../../../engine/legs/onchain/htlc.ts';
import { buildHtlcSpend } from '../../../engine/legs/onchain/htlc-spend.ts';
import { publicKeyOf } from '../../../engine/legs/secp256k1.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';

export const keyOf = (name: string): Uint8Array => Uint8Array.from(createHash('sha256').update(name).digest());
export const secret = asPreimage(keyOf('the secret'));

/** An HTLC between the two names, whose refund opens at that moment. */
export function termsOf(
  claimer: PublicKey,
  refunder: PublicKey,
  refundLocktime: number,
  form: TimeHtlcTerms['form'] = 'p2tr',
): TimeHtlcTerms {
  return { form, hash: hash160Of(secret), claimer, refunder, refundLocktime: unix(refundLocktime) };
}

export const scriptOf = (terms: HtlcTerms): Uint8Array => htlcScript(terms).pkScript;

export const clientKey = keyOf('the client');
export const clientPublic = publicKeyOf(clientKey);
export const elsewhere = openPayer('elsewhere').script;

/** What a client signs by itself: a claim with the secret, or its refund. */
export function clientSpend(
  terms: HtlcTerms,
  coin: Outpoint & { amount: Sats },
  how: { claim: boolean; rate?: number; to?: Uint8Array },
): { txid: string; bytes: Uint8Array } {
  const made = buildHtlcSpend(terms, {
    coin,
    ...(how.claim ? { preimage: secret } : {}),
    to: how.to ?? elsewhere,
    feeRate: how.rate ?? 2,
    mostFee: coin.amount,
    secret: clientKey,
  });
  if (made === null) throw new Error(`${outpointKey(coin)} is too small to be spent`);
  return made;
}
