import { asHash160, asPublicKey, asXOnly, sameBytes, xOnlyOf } from '../../domain/hash.ts';
import { fromHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { seconds, unix } from '../../domain/time.ts';
import { decodeArkadeAddress, encodeArkadeAddress, type ArkadePrefix } from '../../legs/arkade/address.ts';
import type { VhtlcTerms } from '../../legs/arkade/terms.ts';
import { htlcScript, type HtlcForm, type HtlcTerms } from '../../legs/onchain/htlc.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reducibleFrom } from '../reduced.ts';
import type { BitcoinArkadeProgress, BitcoinArkadeTerms } from './terms.ts';

/** In the order of `kept`: a row of a swap that was never funded is as short as it can be. */
type Parts = readonly [
  script: Uint8Array,
  hash: Uint8Array,
  operator: Uint8Array,
  serverKey: Uint8Array,
  claimKeyText: string,
  refundKeyText: string,
  prefix: ArkadePrefix,
  form: HtlcForm,
  htlcAddress: string,
  keyIndex: number,
  source: number,
  target: number,
  fee: number,
  networkFee: number,
  htlcLocktime: number,
  vhtlcLocktime: number,
  claimDelay: number,
  refundDelay: number,
  refundWithoutReceiverDelay: number,
];

/** Terms of a swap that was never funded: what both scripts are made of, so that its client still finds its way (facts/faults.md 53). */
export interface ReducedBitcoinArkade {
  readonly reduced: 2;
  readonly kept: Parts;
  /** Left out where it is 1. */
  readonly confirmations?: number;
}

const longAgo = unix(0);

function keyOf(text: string): Uint8Array {
  return fromHex((text.length === 64 ? `02${text}` : text).toLowerCase());
}

function restored(cut: ReducedBitcoinArkade): BitcoinArkadeTerms {
  const [script, hashBytes, operatorBytes, serverKeyBytes, claimKeyText, refundKeyText, prefix, form, address] =
    cut.kept;
  const [keyIndex, source, target, fee, networkFee, htlcLocktime, vhtlcLocktime, claim, refund, alone] = cut.kept.slice(
    9,
  ) as [number, number, number, number, number, number, number, number, number, number];
  const hash = asHash160(hashBytes);
  const serverKey = asPublicKey(serverKeyBytes);
  const operator = asXOnly(operatorBytes);
  const htlc: HtlcTerms = {
    form,
    hash,
    claimer: serverKey,
    refunder: asPublicKey(keyOf(refundKeyText)),
    refundLocktime: unix(htlcLocktime),
  };
  const vhtlc: VhtlcTerms = {
    sender: xOnlyOf(serverKey),
    receiver: asXOnly(keyOf(claimKeyText).subarray(1)),
    operator,
    hash,
    refundLocktime: unix(vhtlcLocktime),
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
    htlc,
    htlcScript: htlcScript(htlc).pkScript,
    htlcAddress: address,
    vhtlc,
    script,
    address: encodeArkadeAddress({ prefix, operator, outputKey: asXOnly(script.slice(2)) }),
    keyIndex,
    serverKey,
    claimKeyText,
    refundKeyText,
    targetArkadeAddress: '',
    toleranceBps: 0,
    confirmations: cut.confirmations ?? 1,
    since: 0,
    fundBefore: longAgo,
    lockBefore: longAgo,
    minCoinExpiry: longAgo,
    policy: defaultPolicy,
  };
}

/** Null where what is left would not make the very same scripts: nothing is cut from such a swap. */
function reduced(t: BitcoinArkadeTerms): ReducedBitcoinArkade | null {
  const prefix = decodeArkadeAddress(t.address)?.prefix;
  const isKey = (text: string) => /^(0[23])?[0-9a-f]{64}$/i.test(text);
  if (prefix === undefined || !isKey(t.claimKeyText) || !isKey(t.refundKeyText)) return null;
  const { vhtlc: v } = t;
  const cut: ReducedBitcoinArkade = {
    reduced: 2,
    ...(t.confirmations === 1 ? {} : { confirmations: t.confirmations }),
    kept: [
      t.script,
      t.hash,
      v.operator,
      t.serverKey,
      t.claimKeyText,
      t.refundKeyText,
      prefix,
      t.htlc.form,
      t.htlcAddress,
      t.keyIndex,
      Number(t.sourceAmount),
      Number(t.targetAmount),
      Number(t.feeSats),
      Number(t.networkFeeSats),
      t.htlc.refundLocktime,
      v.refundLocktime,
      v.claimDelay,
      v.refundDelay,
      v.refundWithoutReceiverDelay,
    ],
  };
  const again = restored(cut);
  const same =
    again.address === t.address &&
    sameBytes(again.htlcScript, t.htlcScript) &&
    sameBytes(again.vhtlc.sender, v.sender) &&
    sameBytes(again.vhtlc.receiver, v.receiver) &&
    sameBytes(again.vhtlc.hash, v.hash);
  return same ? cut : null;
}

/** Only a swap that was never funded, and whose client could help itself long since. */
export const reducing: Reducing<BitcoinArkadeTerms, BitcoinArkadeProgress, ReducedBitcoinArkade> = {
  reduce(t, p) {
    if (p.at !== 'lapsed') return null;
    const terms = reduced(t);
    return terms === null ? null : { from: reducibleFrom(t.htlc.refundLocktime), terms, progress: p };
  },
  script: ({ script }) => script,
  whole: (terms) => (isReduced(terms) ? restored(terms) : terms),
};
