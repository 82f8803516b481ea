import { z } from 'zod';
import { asPublicKey } from '../../domain/hash.ts';
import { noSats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import type { HtlcTerms } from '../../legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { bytes, exactly } from '../../legs/shape.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import { keepSource, sourceColumns, sourceOf, type SourceColumns } from '../evm-source/reducing.ts';
import { timelockOf } from '../evm-source/terms.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reducibleFrom } from '../reduced.ts';
import type { EvmBitcoinProgress, EvmBitcoinTerms } from './terms.ts';

/** Of the HTLC that was never funded: its script is kept, since deriving it takes a curve. */
type HtlcColumns = readonly [
  claimer: Uint8Array,
  refunder: Uint8Array,
  refundLocktime: number,
  script: Uint8Array,
  address: string,
  keyIndex: number,
];

/** Terms of a swap that no lock was ever made for: its record, but for where the client wanted its bitcoin (facts/faults.md 53). */
export interface ReducedEvmBitcoin {
  readonly reduced: 1;
  readonly deposit: SourceColumns;
  readonly htlc: HtlcColumns;
}

export const reducedEvmBitcoin = exactly<ReducedEvmBitcoin>()(
  z.strictObject({
    reduced: z.literal(1),
    deposit: z.tuple(sourceColumns),
    htlc: z.tuple([bytes, bytes, z.number(), bytes, z.string(), z.number()]),
  }),
);

const longAgo = unix(0);

/** Only a swap whose timelock is over: whoever locks now takes it back alone at once, and nothing of ours is ever funded. */
export const reducing: Reducing<EvmBitcoinTerms, EvmBitcoinProgress, ReducedEvmBitcoin> = {
  reduce(t, p) {
    if (p.at !== 'lapsed' || t.htlc.form !== 'p2tr') return null;
    const { claimer, refunder, refundLocktime } = t.htlc;
    const htlc: HtlcColumns = [claimer, refunder, refundLocktime, t.script, t.address, t.keyIndex];
    return {
      from: reducibleFrom(timelockOf(t)),
      terms: { reduced: 1, deposit: keepSource(t), htlc },
      progress: p,
    };
  },
  script: () => null,
  whole(terms) {
    if (!isReduced(terms)) return terms;
    const source = sourceOf(terms.deposit);
    const [claimer, refunder, refundLocktime, script, address, keyIndex] = terms.htlc;
    const htlc: HtlcTerms = {
      form: 'p2tr',
      hash: hash160OfSha256(source.hash),
      claimer: asPublicKey(claimer),
      refunder: asPublicKey(refunder),
      refundLocktime: unix(refundLocktime),
    };
    return {
      ...source,
      htlc,
      script,
      address,
      keyIndex,
      mostFee: noSats,
      htlcSince: 0,
      lockBefore: longAgo,
      targetAddress: null,
      agreed: true,
      policy: defaultPolicy,
    };
  },
};
