import { toHex } from '../domain/hex.ts';
import { noSats } from '../domain/money.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';
import { htlcScript, type MusigHtlcTerms } from '../legs/onchain/htlc.ts';
import type { ArkLock, BtcLock } from './sides.ts';

/** The timeouts of a lock on Arkade: the refund in unix seconds, the delays in seconds. */
export function timeoutsOf(terms: VhtlcTerms) {
  return {
    refund: Number(terms.refundLocktime),
    unilateralClaim: Number(terms.claimDelay),
    unilateralRefund: Number(terms.refundDelay),
    unilateralRefundWithoutReceiver: Number(terms.refundWithoutReceiverDelay),
  };
}

const tapscript = 0xc0;

export function leafOf(script: Uint8Array) {
  return { version: tapscript, output: toHex(script) };
}

/** The leaves of a lock on the Bitcoin chain, below the key of both. */
export function treeOf(terms: MusigHtlcTerms) {
  const { claim, refund } = htlcScript(terms);
  return { claimLeaf: leafOf(claim.script), refundLeaf: leafOf(refund.script) };
}

/** What a client pays, as clients compare it: by its text. */
export function bip21Of({ address, amount }: BtcLock): string {
  if (amount === noSats) return `bitcoin:${address}?label=Swap`;
  const digits = amount.toString().padStart(9, '0');
  const bitcoins = `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, '');
  return `bitcoin:${address}?amount=${bitcoins}&label=Swap`;
}

/** One leg of a chain swap. */
export function legOf(lock: ArkLock | BtcLock) {
  return {
    serverPublicKey: toHex(lock.serverKey),
    amount: Number(lock.amount),
    lockupAddress: lock.address,
    timeoutBlockHeight: Number(lock.timeout),
    ...(lock.on === 'ARK' ? { timeouts: timeoutsOf(lock.terms) } : { swapTree: treeOf(lock.terms) }),
  };
}

/** What a create says again in its answer. */
export function repeated({ referralId }: { readonly referralId?: string | undefined }) {
  return referralId === undefined ? {} : { referralId };
}
