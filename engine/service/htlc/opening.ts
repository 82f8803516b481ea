import type { CreateToBitcoin } from '../../contract/requests/to-bitcoin.ts';
import { refuse, type Refusal } from '../../domain/errors.ts';
import { less, plus, type Sats } from '../../domain/money.ts';
import type { ReadClocks, Unix } from '../../domain/time.ts';
import { withdrawalCeiling } from '../../domain/withdrawal-cost.ts';
import { scriptOfAddress } from '../../legs/onchain/address.ts';
import { htlcAddress, htlcScript, type HtlcTerms, type MusigHtlcTerms } from '../../legs/onchain/htlc.ts';
import { feeReserve } from '../../quote/ceilings.ts';
import type { Price } from '../../quote/fees.ts';
import { bytesOf, type NetworkCosts, type Prices } from '../../quote/gas.ts';
import type { ServiceContext } from '../context.ts';
import type { Networks } from '../networks/networks.ts';

/*
 * What every swap has that ends with an HTLC of ours on the Bitcoin chain, or begins with one of its client's.
 */

/**
 * What a swap needs beside its amount: change that pushes its funding, and its part of what is kept for fees once it is
 * open. Promised with it, or a burst of swaps would outgrow what it was promised, and the last of them be declined
 * after their clients locked.
 */
const ownShare = plus(feeReserve, feeReserve);

/** Most that the funding of this amount may cost. */
export function mostFeeOf({ config }: Pick<ServiceContext, 'config'>, target: Sats): Sats {
  return withdrawalCeiling(target, config.ceilings);
}

/** What is promised to the swap until its coin is funded. */
export function fundReserve(context: Pick<ServiceContext, 'config'>, target: Sats) {
  return { network: 'bitcoin', amount: plus(plus(target, mostFeeOf(context, target)), ownShare) } as const;
}

/** What a new swap could fund. */
export function fundLiquidity(networks: Networks): Sats {
  return less(networks.bitcoinFree(), plus(ownShare, networks.feeReserve().total));
}

/**
 * What funding costs, and what the exit of a swap does: the funding and our refund, and the client's own claim, for a
 * coin that is not worth that is worth nothing to it.
 */
export function fundCosts({ bytes }: Prices): Pick<NetworkCosts, 'target' | 'exit'> {
  const fund = bytes(bytesOf.fund);
  return { target: fund, exit: plus(plus(fund, bytes(bytesOf.refund)), bytes(bytesOf.claim)) };
}

/** Whoever claims pays where it likes; what is said here is shown, and must not be somebody's mistake. */
export function wrongTarget(
  { config }: Pick<ServiceContext, 'config'>,
  { targetAddress }: { readonly targetAddress: string | null },
): Refusal | null {
  return targetAddress === null || scriptOfAddress(targetAddress, config.network) !== null
    ? null
    : refuse(
        'invalid',
        `target_address is no Bitcoin address on ${config.network}: give one of this network, or leave it out.`,
      );
}

/** Of the HTLC that we are to fund, to the last byte, as its half keeps it. */
export function fundTerms<H extends HtlcTerms>(
  context: Pick<ServiceContext, 'config'>,
  htlc: H,
  of: {
    readonly price: Price;
    readonly keyIndex: number;
    readonly lockBefore: Unix;
    readonly targetAddress: string | null;
    readonly clocks: ReadClocks;
  },
) {
  const { price, keyIndex, lockBefore, targetAddress, clocks } = of;
  return {
    targetAmount: price.target,
    htlc,
    htlcScript: htlcScript(htlc).pkScript,
    htlcAddress: htlcAddress(htlc, context.config.network),
    keyIndex,
    mostFee: mostFeeOf(context, price.target),
    htlcSince: clocks.bitcoin.height,
    lockBefore,
    targetAddress,
  };
}

/** The HTLC of a client that claims, whose secret is its own. */
export function clientsHtlc(
  { claimKey }: Pick<CreateToBitcoin, 'claimKey'>,
  of: Pick<MusigHtlcTerms, 'hash' | 'refunder' | 'refundHeight'>,
): MusigHtlcTerms {
  return { form: 'musig', claimer: claimKey.key, provider: 'refunder', sizeGuard: true, ...of };
}

/** Of the HTLC that a client is to fund, to the last byte, as its half keeps it. */
export function coinTerms<H extends HtlcTerms>(
  { config }: Pick<ServiceContext, 'config'>,
  htlc: H,
  of: { readonly keyIndex: number; readonly confirmations: number; readonly clocks: ReadClocks },
) {
  const { clocks, ...terms } = of;
  return {
    htlc,
    htlcScript: htlcScript(htlc).pkScript,
    htlcAddress: htlcAddress(htlc, config.network),
    toleranceBps: config.terms.overpaymentToleranceBps,
    htlcSince: clocks.bitcoin.height,
    ...terms,
  };
}
