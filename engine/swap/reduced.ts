import { asPublicKey, asSha256, asXOnly, sameBytes, xOnlyOf, type PublicKey, type Sha256 } from '../domain/hash.ts';
import { fromHex } from '../domain/hex.ts';
import { sats, type Sats } from '../domain/money.ts';
import { after, day, seconds, unix, type Unix } from '../domain/time.ts';
import { hash160OfSha256 } from '../legs/secret.ts';
import { decodeArkadeAddress, encodeArkadeAddress, type ArkadePrefix } from '../legs/arkade/address.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';

/** What the terms of directions with a VHTLC have in common. */
interface Common {
  readonly hash: Sha256;
  readonly sourceAmount: Sats;
  readonly targetAmount: Sats;
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
  readonly vhtlc: VhtlcTerms;
  readonly script: Uint8Array;
  readonly address: string;
  readonly keyIndex: number;
  readonly serverKey: PublicKey;
  readonly clientKeyText: string;
}

/** In the order of `keep`: a row of a swap that was never funded is as short as it can be. */
type KeptTerms = readonly [
  script: Uint8Array,
  hash: Uint8Array,
  operator: Uint8Array,
  serverKey: Uint8Array,
  clientKeyText: string,
  prefix: ArkadePrefix,
  keyIndex: number,
  source: number,
  target: number,
  fee: number,
  networkFee: number,
  refundLocktime: number,
  claimDelay: number,
  refundDelay: number,
  refundWithoutReceiverDelay: number,
];

/**
 * Terms of a swap that was never funded, cut down to what its script is made of and what its record says of money and
 * keys: whoever pays the script all the same is seen, and gets a refund signed (facts/faults.md 53). Tagged with a version.
 */
export interface ReducedTerms {
  readonly reduced: 1;
  readonly kept: KeptTerms;
  /** Where the record says when the invoice ended. */
  readonly invoiceExpiresAt: number;
}

/** Which side of the VHTLC the client is on. */
export type ClientSide = 'sender' | 'receiver';

/** Days after the client's locktime for which a swap that was never funded is kept whole. */
const wholeFor = seconds(7 * day);

export function reducibleFrom(locktime: Unix): Unix {
  return after(locktime, wholeFor);
}

/** Null where what is left would not make the very same keys and address: nothing is cut from such a swap. */
export function reduced(t: Common, client: ClientSide, invoiceExpiresAt: Unix): ReducedTerms | null {
  const prefix = decodeArkadeAddress(t.address)?.prefix;
  if (prefix === undefined || !/^(0[23])?[0-9a-f]{64}$/i.test(t.clientKeyText)) return null;
  const { vhtlc: v } = t;
  const kept: KeptTerms = [
    t.script,
    t.hash,
    v.operator,
    t.serverKey,
    t.clientKeyText,
    prefix,
    t.keyIndex,
    Number(t.sourceAmount),
    Number(t.targetAmount),
    Number(t.feeSats),
    Number(t.networkFeeSats),
    v.refundLocktime,
    v.claimDelay,
    v.refundDelay,
    v.refundWithoutReceiverDelay,
  ];
  const cut: ReducedTerms = { reduced: 1, kept, invoiceExpiresAt };
  const again = restored(cut, client);
  const same =
    again.address === t.address &&
    sameBytes(again.vhtlc.hash, v.hash) &&
    sameBytes(again.vhtlc.sender, v.sender) &&
    sameBytes(again.vhtlc.receiver, v.receiver);
  return same ? cut : null;
}

export function isReduced<T extends object, R extends { readonly reduced: number }>(terms: T | R): terms is R {
  return 'reduced' in terms;
}

/** What was cut off is derived again, all but the invoice; the script is kept, since deriving it takes a curve. */
export function restored({ kept }: ReducedTerms, client: ClientSide): Common {
  const [
    script,
    hashBytes,
    operatorBytes,
    serverKeyBytes,
    clientKeyText,
    prefix,
    keyIndex,
    source,
    target,
    fee,
    networkFee,
    locktime,
    claim,
    refund,
    alone,
  ] = kept;
  const hash = asSha256(hashBytes);
  const serverKey = asPublicKey(serverKeyBytes);
  const operator = asXOnly(operatorBytes);
  const theirs = asXOnly(fromHex(clientKeyText.slice(-64).toLowerCase()));
  const ours = xOnlyOf(serverKey);
  const vhtlc: VhtlcTerms = {
    sender: client === 'sender' ? theirs : ours,
    receiver: client === 'sender' ? ours : theirs,
    operator,
    hash: hash160OfSha256(hash),
    refundLocktime: unix(locktime),
    claimDelay: seconds(claim),
    refundDelay: seconds(refund),
    refundWithoutReceiverDelay: seconds(alone),
  };
  return {
    hash,
    sourceAmount: sats(source),
    targetAmount: sats(target),
    feeSats: sats(fee),
    networkFeeSats: sats(networkFee),
    vhtlc,
    script,
    address: encodeArkadeAddress({ prefix, operator, outputKey: asXOnly(script.slice(2)) }),
    keyIndex,
    serverKey,
    clientKeyText,
  };
}
