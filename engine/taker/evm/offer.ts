import type { z } from 'zod';
import type { Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sha256 } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { leastOut } from '../../domain/slippage.ts';
import type { Clocks } from '../../domain/time.ts';
import type { TokenInfo } from '../../domain/token.ts';
import type { commonRecord, evmTargetRecord } from '../../contract/records/parts.ts';
import { evmTime } from '../../legs/evm/timelocks.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import { tokenInfo } from '../../swap/halves/evm/record.ts';
import { mostCostBps, objection, type Objection } from '../verify.ts';
import type { EvmLeg, EvmOrderTerms, ExchangeTerms } from './terms.ts';
import { isAddress, lockBetween, peggedInfo, satsDown, wrongLock } from './verify.ts';

/* The lock that a provider is to make for us, as its record says it. */

export type ToClaim = z.infer<z.ZodObject<typeof commonRecord & typeof evmTargetRecord>> & {
  readonly target_evm_address?: string | undefined;
};

/** An order of tokens that are locked for us. */
export interface OrderToEvm extends EvmOrderTerms {
  readonly hash: Sha256;
  readonly policy: TimeoutPolicy;
  /** Exactly this is paid. */
  readonly sourceAmount: Sats;
  /** Least that comes out, in smallest units of the token; what was expected of it where it is exchanged. */
  readonly targetAmount: bigint;
  readonly destination: EvmAddress;
  readonly exchange?: ExchangeTerms;
}

/** What comes out: the token of the lock, all of it, or as much of another one as was agreed. */
function wrongTarget(record: ToClaim, { targetAmount, exchange }: OrderToEvm): Objection {
  const target = BigInt(record.target_amount);
  if (exchange === undefined)
    return (
      objection(target >= targetAmount, `it pays out ${target} units, at least ${targetAmount} were agreed`) ??
      objection(
        record.evm_expected_sats === record.target_amount,
        `its lock would hold ${record.evm_expected_sats} units, it pays out ${record.target_amount}`,
      )
    );
  const least = leastOut(target, exchange.slippageBps);
  const fees = record.fee_sats;
  return (
    objection(least >= exchange.least, `${least} units would arrive at least, ${exchange.least} were agreed`) ??
    objection(BigInt(fees) <= exchange.mostFees, `its fees are ${fees} sats, ${exchange.mostFees} were quoted`)
  );
}

function wrongAmounts(record: ToClaim, terms: OrderToEvm): Objection {
  const texts = [record.target_amount, record.evm_expected_sats];
  if (texts.some((text) => !/^\d{1,40}$/.test(text))) return 'its amounts exceed 21M bitcoin';
  const cost = terms.sourceAmount - satsDown(BigInt(record.evm_expected_sats), terms);
  // A token with more decimals than bitcoin is cut off to whole sats.
  const rounded = terms.pegged.decimals > 8 ? 1n : 0n;
  const fees = BigInt(record.fee_sats);
  return (
    objection(
      record.source_amount === terms.sourceAmount.toString(),
      `it asks for ${record.source_amount} sats, ${terms.sourceAmount} were agreed`,
    ) ??
    wrongTarget(record, terms) ??
    objection(
      cost === fees || cost === fees + rounded,
      `its fees of ${fees} sats are not the ${cost} that its lock is short of what it asks for`,
    ) ??
    objection(
      cost * 10_000n <= terms.sourceAmount * mostCostBps,
      `its fees take ${cost} of ${terms.sourceAmount} sats, more than a quarter`,
    )
  );
}

/** What is wrong with what we would get, and for how much. */
export function wrongOffer(record: ToClaim, terms: OrderToEvm): Objection {
  return (
    wrongLock(record, terms) ??
    wrongAmounts(record, terms) ??
    objection(
      record.target_evm_address !== undefined && isAddress(record.target_evm_address, terms.destination),
      'its destination is not ours',
    ) ??
    objection(
      record.bridge_target_chain === undefined && record.bridge_target_token_address === undefined,
      'it goes on over a bridge that nobody asked for',
    )
  );
}

/** The lock must leave us time to claim, however late we pay: `wait` seconds from now. */
export function wrongLockTime(
  { evm_refund_locktime: timelock }: Pick<ToClaim, 'evm_refund_locktime'>,
  { policy, chain, exchange }: OrderToEvm,
  now: Clocks,
  wait = 0,
): Objection {
  const time = evmTime(now, chain);
  // An exchange may have to be waited for, before a claim has to begin.
  const needed = wait + policy.leastClaimTime + (exchange === undefined ? 0 : policy.margin);
  if (time === null) return 'the clock of the EVM chain, by which its lock is judged, cannot be read now';
  return objection(
    timelock >= time + needed,
    `its lock can be taken back at ${timelock}, less than ${needed} seconds from now`,
  );
}

/** The token that was asked for. */
export function wantedInfo(terms: OrderToEvm): TokenInfo {
  return terms.exchange === undefined ? peggedInfo(terms) : tokenInfo(terms.chain, terms.exchange.token);
}

/** The lock that the provider would make: to our account with the secret, back to its own from the timelock on. */
export function offeredLock(record: ToClaim, terms: OrderToEvm): EvmLeg | Refusal {
  return lockBetween(record, terms, BigInt(record.evm_expected_sats), (_, service) => ({
    refundAddress: service,
    claimAddress: terms.account,
  }));
}
