import { nativeCoin } from '../../../domain/evm.ts';
import type { Sats } from '../../../domain/money.ts';
import { unix } from '../../../domain/time.ts';
import type { EvmPort } from '../../../legs/evm/port.ts';
import { gasOf } from '../../../quote/gas.ts';
import { budgetOf, ceilingOf, priceOf } from './gas.ts';
import type { EvmRules } from './rules.ts';

/** Gas may cost so many times more by the time that it is needed. */
const spare = 2n;

/**
 * Why we could not claim a lock of a provider's by ourselves now; null where we could. Who shows the secret without
 * that hangs on the provider's good will: it could keep the secret, and take its lock back at the timelock. `beside`:
 * claims that our account may have to make before this one, by now (facts/faults.md 141). `value`: what the claim
 * saves, of which gas may cost no more than early (facts/faults.md 169).
 */
export async function notClaimableAlone(
  port: Pick<EvmPort, 'account' | 'balance' | 'gasFees'>,
  { value, beside, rules }: { readonly value: Sats; readonly beside: () => number; readonly rules: EvmRules },
): Promise<string | null> {
  const [held, fees] = await Promise.all([port.balance(nativeCoin, port.account()), port.gasFees()]);
  const early = { purpose: 'taker-claim', value, deadline: null, from: unix(0) };
  const ceiling = ceilingOf(budgetOf(early, unix(0), rules), gasOf.takerClaim, rules);
  if (ceiling !== null && priceOf(fees) > ceiling)
    return `gas costs ${priceOf(fees)} wei, and at most ${ceiling} are paid to show the secret`;
  const needed = gasOf.takerClaim * priceOf(fees) * spare * BigInt(1 + beside());
  if (held >= needed) return null;
  return (
    `the account of this node lacks ${needed - held} wei to claim by itself all that it may have to, should ` +
    'providers not do it'
  );
}
