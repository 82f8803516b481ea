import type { BitcoinNetwork } from '../../domain/chain.ts';
import { sameBytes, type XOnly } from '../../domain/hash.ts';
import { seconds } from '../../domain/time.ts';
import type { VhtlcRecord } from '../../contract/records/parts.ts';
import type { TakerOperator } from '../terms.ts';
import { keyIn } from '../verify.ts';

/** The operator as it is now, with the signers that it says it had before. */
export interface OperatorOverTime extends TakerOperator {
  readonly former: readonly XOnly[];
}

type Side = 'source' | 'target';
export type OperatorInRecord = Pick<
  VhtlcRecord,
  'arkade_server_pk' | 'unilateral_claim_delay' | 'unilateral_refund_delay' | 'unilateral_refund_without_receiver_delay'
>;

/** Seconds: off regtest no operator that we work with was ever content with less (facts/arkade.md 2). */
const shortestReal = 86_016;
const shortestOnRegtest = 512;

/**
 * The operator as a record may honestly know it: one of its signers of before, an exit delay that it raised since. The
 * address of the VHTLC still has to follow from it, and only what was paid under that address is ever looked for.
 *
 * At our own source the delays bind nothing but the provider's way out. At our target the shortest of them is ours, and
 * the provider's must be longer: a record that says otherwise would have the secret for a coin that the provider may
 * take at the same moment.
 */
export function operatorThen(
  record: OperatorInRecord,
  now: OperatorOverTime,
  { side, network }: { readonly side: Side; readonly network: BitcoinNetwork },
): TakerOperator {
  const signer = now.former.find((one) => sameBytes(one, keyIn(record.arkade_server_pk))) ?? now.signer;
  const ours = record.unilateral_claim_delay;
  const theirs = record.unilateral_refund_without_receiver_delay;
  const shortest = Math.min(ours, record.unilateral_refund_delay, theirs);
  const floor = network === 'regtest' ? shortestOnRegtest : shortestReal;
  const believed = side === 'source' || (shortest >= floor && ours < theirs);
  return { signer, exitDelay: believed ? seconds(Math.min(now.exitDelay, shortest)) : now.exitDelay };
}
