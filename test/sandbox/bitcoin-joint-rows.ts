import { sha256 } from '@noble/hashes/sha2.js';
import { asHash160, asPreimage, asPublicKey } from '../../engine/domain/hash.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { jointKeyOf } from '../../engine/legs/onchain/key-spend.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import { hash160Of } from '../../engine/legs/secret.ts';
import { walletOf } from './bitcoin-support.ts';
import { htlcWays, keyWay, type Sign, type Spending, type SpendRow, type Way } from './bitcoin-spends.ts';

/* The HTLC below the key of both sides, whose refund opens at a height. */

const [claimer, refunder] = [walletOf('claimer'), walletOf('refunder')];
const secret = asPreimage(sha256(Uint8Array.of(1)));
const longer = new Uint8Array(33).fill(7);
/** Every chain of these tests is higher than the one, and far below the other. */
const [over, ahead] = [100, 1_000_000];

function termsOf(change: Partial<MusigHtlcTerms> = {}): MusigHtlcTerms {
  return {
    form: 'musig',
    hash: hash160Of(secret),
    claimer: asPublicKey(claimer.key),
    refunder: asPublicKey(refunder.key),
    provider: 'refunder',
    sizeGuard: true,
    refundHeight: over,
    ...change,
  };
}

/** What both sign together, by what each shows the other. */
function signedByBoth(terms: MusigHtlcTerms, message: Uint8Array): Uint8Array {
  const joint = jointKeyOf(terms);
  const [ours, theirs] = [claimer, refunder].map(({ secret: key }) => newNonce(joint, message, key));
  if (ours === undefined || theirs === undefined) throw new Error('two sign');
  const partial = theirs.sign(ours.shown, refunder.secret)?.partial ?? new Uint8Array();
  const signature = ours.sign(theirs.shown, claimer.secret)?.join(partial) ?? null;
  if (signature === null) throw new Error('the signature of both is none');
  return signature;
}

const claimed =
  (by = claimer, of: Uint8Array = secret) =>
  (sign: Sign) => [sign(by.secret), of];
const refunded = (by = refunder) => ({ stack: (sign: Sign) => [sign(by.secret)], locktime: over });

type Row = readonly [name: string, way: Way, how: Spending, holds: boolean];

export function jointRows(): SpendRow[] {
  const terms = termsOf();
  const { claim, refund } = htlcWays(terms);
  const later = htlcWays(termsOf({ refundHeight: ahead })).refund;
  const long = { hash: asHash160(hash160Of(longer as never)) };
  const both = keyWay(terms);
  const rows: readonly Row[] = [
    ['a claim', claim, { stack: claimed() }, true],
    ['another secret', claim, { stack: claimed(claimer, sha256(secret)) }, false],
    ['a claim by the refunder', claim, { stack: claimed(refunder) }, false],
    ['a claim over another amount', claim, { stack: claimed(), imagined: 1n }, false],
    ['a longer secret', htlcWays(termsOf(long)).claim, { stack: claimed(claimer, longer) }, false],
    [
      'a longer secret where its length is not asked for',
      htlcWays(termsOf({ ...long, sizeGuard: false })).claim,
      { stack: claimed(claimer, longer) },
      true,
    ],
    ['a refund at its height', refund, refunded(), true],
    ['a refund of one block less', refund, { ...refunded(), locktime: over - 1 }, false],
    ['a refund of one block more', refund, { ...refunded(), locktime: over + 1 }, true],
    ['a refund without a locktime', refund, { ...refunded(), locktime: 0 }, false],
    ['a refund with a time for a locktime', refund, { ...refunded(), locktime: 1_600_000_000 }, false],
    ['a refund whose sequence switches the locktime off', refund, { ...refunded(), sequence: 0xffffffff }, false],
    ['a refund before its height', later, { ...refunded(), locktime: ahead }, false],
    ['a refund before its height that says it is there', later, refunded(), false],
    ['a refund by the claimer', refund, refunded(claimer), false],
    ['a refund with the secret beside it', refund, { ...refunded(), stack: claimed(refunder) }, false],
    ['a claim’s way with a refund’s stack', claim, refunded(), false],
    ['both keys together', both, { stack: (_, message) => [signedByBoth(terms, message)] }, true],
    [
      'both keys together, over another amount',
      both,
      { stack: (_, message) => [signedByBoth(terms, message)], imagined: 1n },
      false,
    ],
    ['one key for both', both, { stack: (sign) => [sign(refunder.secret)] }, false],
    [
      'both keys in the other order',
      both,
      { stack: (_, message) => [signedByBoth(termsOf({ provider: 'claimer' }), message)] },
      false,
    ],
  ];
  return rows.map(([name, way, how, holds]) => ({ name: `musig: ${name}`, way, how, holds }));
}
