import { z } from 'zod';
import type { EvmNetwork } from '../../domain/chain.ts';
import { asEvmAddress } from '../../domain/evm.ts';
import { asSha256, sameBytes } from '../../domain/hash.ts';
import { noSats, sats } from '../../domain/money.ts';
import { unix } from '../../domain/time.ts';
import { evmNetworkName } from '../../legs/evm/shape.ts';
import { bytes, exactly } from '../../legs/shape.ts';
import { defaultPolicy } from '../../legs/timeout-policy.ts';
import { timelockOf } from '../evm-source/terms.ts';
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
import { isReduced, reducibleFrom } from '../reduced.ts';
import type { EvmLightningProgress, EvmLightningTerms } from './terms.ts';

/** In the order of `reduce`. */
type Columns = readonly [
  hash: Uint8Array,
  network: EvmNetwork,
  contracts: KeptContracts,
  ours: Uint8Array,
  timelock: bigint,
  least: bigint,
  pegged: KeptToken,
  /** Null for the pegged token itself. */
  source: KeptToken | null,
  sourceUnits: bigint,
  client: Uint8Array,
  sourceAmount: number,
  targetAmount: number,
  fee: number,
  networkFee: number,
  gasless: boolean,
  confirmations: number,
  since: number,
  invoiceExpiresAt: number,
];

export interface ReducedEvmLightning {
  readonly reduced: 1;
  readonly deposit: Columns;
}

export const reducedEvmLightning = exactly<ReducedEvmLightning>()(
  z.strictObject({
    reduced: z.literal(1),
    deposit: z.tuple([
      bytes,
      evmNetworkName,
      keptContracts,
      bytes,
      z.bigint(),
      z.bigint(),
      keptToken,
      keptToken.nullable(),
      z.bigint(),
      bytes,
      z.number(),
      z.number(),
      z.number(),
      z.number(),
      z.boolean(),
      z.number(),
      z.number(),
      z.number(),
    ]),
  }),
);

const longAgo = unix(0);

/** Only a swap that no lock was ever made for, and whose timelock is over: whoever locks now takes it back alone at once. Its invoice is never paid. */
export const reducing: Reducing<EvmLightningTerms, EvmLightningProgress, ReducedEvmLightning> = {
  reduce(t, p) {
    if (p.at !== 'lapsed') return null;
    const deposit: Columns = [
      t.hash,
      t.network,
      keepContracts(t.contracts),
      t.lock.claimAddress,
      t.lock.timelock,
      t.least,
      keepToken(t.pegged),
      sameBytes(t.source.address, t.pegged.address) ? null : keepToken(t.source),
      t.sourceUnits,
      t.clientAddress,
      Number(t.sourceAmount),
      Number(t.targetAmount),
      Number(t.feeSats),
      Number(t.networkFeeSats),
      t.gasless,
      t.confirmations,
      t.since,
      t.invoiceExpiresAt,
    ];
    return { from: reducibleFrom(timelockOf(t)), terms: { reduced: 1, deposit }, progress: p };
  },
  script: () => null,
  whole(terms) {
    if (!isReduced(terms)) return terms;
    const [hashBytes, network, contracts, ours, timelock, least, pegged, source, sourceUnits, client, ...rest] =
      terms.deposit;
    const [sourceAmount, targetAmount, fee, networkFee, gasless, confirmations, since, invoiceExpiresAt] = rest;
    const hash = asSha256(hashBytes);
    const token = tokenOf(pegged);
    const pair = contractsOf(contracts);
    return {
      hash,
      network,
      contracts: pair,
      lock: {
        preimageHash: hash,
        token: token.address,
        refundAddress: pair.coordinator,
        claimAddress: asEvmAddress(ours),
        timelock,
      },
      least,
      pegged: token,
      clientAddress: asEvmAddress(client),
      source: source === null ? token : tokenOf(source),
      sourceUnits,
      sourcePinned: false,
      gasless,
      sourceAmount: sats(sourceAmount),
      targetAmount: sats(targetAmount),
      feeSats: sats(fee),
      networkFeeSats: sats(networkFee),
      confirmations,
      since,
      fundBefore: longAgo,
      payBefore: longAgo,
      bolt11: '',
      invoiceExpiresAt: unix(invoiceExpiresAt),
      maxFeeMsat: noSats,
      maxTimeoutHeight: 0,
      finalCltv: 0,
      agreed: true,
      policy: defaultPolicy,
    };
  },
};
