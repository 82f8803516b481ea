import { z } from 'zod';
import type { EvmNetwork } from '../../domain/chain.ts';
import { asEvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { tokenAmount } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { evmNetworkName } from '../../legs/evm/shape.ts';
import { bytes, exactly } from '../../legs/shape.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import {
  contractsOf,
  keepContracts,
  keepToken,
  keptContracts,
  keptToken,
  tokenOf,
  type KeptContracts,
  type KeptToken,
} from '../evm-reduced.ts';
import type { Reducing } from '../machine.ts';
import { isReduced, reduced, reducibleFrom, restored, type ReducedTerms } from '../reduced.ts';
import { reducedFields } from '../reduced-shape.ts';
import type { ArkadeEvmProgress, ArkadeEvmTerms } from './terms.ts';

/** In the order of `reduce`. */
type KeptTarget = readonly [
  network: EvmNetwork,
  contracts: KeptContracts,
  locked: bigint,
  ours: Uint8Array,
  claimer: Uint8Array,
  timelock: bigint,
  pegged: KeptToken,
  /** Null for the pegged token itself. */
  target: KeptToken | null,
  targetAmount: bigint,
  targetAddress: Uint8Array,
];

export interface ReducedArkadeEvm extends ReducedTerms {
  readonly target: KeptTarget;
}

export const reducedArkadeEvm = exactly<ReducedArkadeEvm>()(
  z.strictObject({
    ...reducedFields,
    target: z.tuple([
      evmNetworkName,
      keptContracts,
      z.bigint(),
      bytes,
      bytes,
      z.bigint(),
      keptToken,
      keptToken.nullable(),
      z.bigint(),
      bytes,
    ]),
  }),
);

const longAgo = unix(0);

/** Only a swap whose VHTLC was never paid: nothing of ours was ever locked for it, and nothing will be. One that goes on over a bridge stays whole. */
export const reducing: Reducing<ArkadeEvmTerms, ArkadeEvmProgress, ReducedArkadeEvm> = {
  reduce(t, p) {
    if (p.at !== 'lapsed' || t.onward !== undefined) return null;
    const source = reduced({ ...t, targetAmount: t.targetSats }, 'sender', longAgo);
    if (source === null) return null;
    const target: KeptTarget = [
      t.network,
      keepContracts(t.contracts),
      t.lock.amount,
      t.lock.refundAddress,
      t.lock.claimAddress,
      t.lock.timelock,
      keepToken(t.pegged),
      sameBytes(t.target.address, t.pegged.address) ? null : keepToken(t.target),
      t.targetAmount,
      t.targetAddress,
    ];
    return { from: reducibleFrom(t.vhtlc.refundLocktime), terms: { ...source, target }, progress: p };
  },
  script: ({ script }) => script,
  whole(terms) {
    if (!isReduced(terms)) return terms;
    const { targetAmount: targetSats, ...source } = restored(terms, 'sender');
    const [network, contracts, amount, ours, claimer, timelock, pegged, target, targetAmount, targetAddress] =
      terms.target;
    const token = tokenOf(pegged);
    return {
      ...source,
      targetSats,
      network,
      contracts: contractsOf(contracts),
      lock: {
        preimageHash: source.hash,
        amount,
        token: token.address,
        refundAddress: asEvmAddress(ours),
        claimAddress: asEvmAddress(claimer),
        timelock,
      },
      pegged: token,
      target: target === null ? token : tokenOf(target),
      targetAmount: tokenAmount(targetAmount),
      floor: 0n,
      targetAddress: asEvmAddress(targetAddress),
      gasless: true,
      toleranceBps: 0,
      fundBefore: longAgo,
      minCoinExpiry: longAgo,
      lockBefore: longAgo,
      since: 0,
      burial: 0,
      policy: defaultPolicy,
    };
  },
};
