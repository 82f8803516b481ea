import type { EvmNetwork } from '../../../domain/chain.ts';
import { nativeCoin } from '../../../domain/evm.ts';
import { bpsDown, type Sats } from '../../../domain/money.ts';
import type { StillDeposited, StillEscrowed } from '../../../legs/evm/conditions.ts';
import type { EvmPort, GasFees } from '../../../legs/evm/port.ts';
import { revealCeiling } from '../../../quote/ceilings.ts';
import { weiOfSatsDown } from '../../../quote/coin-price.ts';
import { gasOf } from '../../../quote/gas.ts';
import { evmOf, type Ports } from '../../ports.ts';
import { ceilingOf, priceOf } from './gas.ts';
import { laterCost, type GasToCome } from './gas-to-come.ts';
import type { EvmRules, RulesOf } from './rules.ts';

/** Whether the claim of a lock of ours that holds so much costs less now than the owner lets it; it is begun then. */
export async function paysForClaim(
  port: Pick<EvmPort, 'gasFees'>,
  { value, rules }: { readonly value: Sats; readonly rules: EvmRules },
): Promise<boolean> {
  const ceiling = ceilingFor(bpsDown(value, rules.gas.maxShareBps), gasOf.claim, rules);
  return rules.price !== null && ceiling !== null && priceOf(await port.gasFees()) <= ceiling;
}

interface Claim {
  readonly gas: bigint;
  /** What the claim saves. */
  readonly value: Sats;
  readonly rules: EvmRules;
}

/** What each unit of gas may cost; null where neither the coin's price nor the owner bounds it. */
function ceilingFor(most: Sats, gas: bigint, rules: EvmRules): bigint | null {
  return ceilingOf(rules.price === null ? null : weiOfSatsDown(most, rules.price), gas, rules);
}

/**
 * Why gas is too dear for anything to be given yet for a lock, a secret or a lock of our own: its claim may cost no
 * more than in its first quarter (facts/faults.md 169, 184, 263). Null where it is not, or nobody knows what the coin
 * costs.
 */
function gasTooDear(fees: GasFees, { gas, value, rules }: Claim): string | null {
  const ceiling = ceilingFor(revealCeiling(value, { claimBps: rules.gas.maxShareBps }), gas, rules);
  if (ceiling === null || priceOf(fees) <= ceiling) return null;
  return `gas costs ${priceOf(fees)} wei, and a claim may pay at most ${ceiling} before anything is given for it`;
}

interface Account {
  readonly network: EvmNetwork;
  /** The swap whose claim it is. */
  readonly swap: string;
  readonly value: Sats;
  readonly rules: EvmRules;
  readonly gasToCome: GasToCome;
}

/**
 * Why we could not claim a lock of a provider's by ourselves now; null where we could. Who shows the secret without
 * that hangs on the provider's good will: it could keep the secret, and take its lock back at the timelock.
 */
export function notClaimableAlone(
  port: Pick<EvmPort, 'account' | 'sureBalance' | 'gasFees'>,
  account: Account,
): Promise<string | null> {
  return notPayable(port, gasOf.takerClaim, account);
}

/** Why nothing of ours is given yet for a client's lock. */
export function lockTooDear(
  { network, value }: StillDeposited | StillEscrowed,
  { ports, evm, gasToCome, swap }: Asking,
): Promise<string | null> {
  const account = { network, swap, value, rules: evm(network), gasToCome };
  return notPayable(evmOf(ports, network), gasOf.claim, account);
}

interface Asking extends Pick<Account, 'gasToCome' | 'swap'> {
  readonly ports: Pick<Ports, EvmNetwork>;
  readonly evm: RulesOf;
}

/**
 * Why our account could not pay for a claim, beside all else that it may have to pay by now (facts/faults.md 141, 255),
 * or only for more than in its first quarter (facts/faults.md 169). Where it could, the claim counts from the turn on
 * in which the others were counted: of two that are judged at once each would count the other for ever. That it holds
 * enough is no one RPC's word (facts/faults.md 283).
 */
async function notPayable(
  port: Pick<EvmPort, 'account' | 'sureBalance' | 'gasFees'>,
  gas: bigint,
  { network, swap, value, rules, gasToCome }: Account,
): Promise<string | null> {
  const [held, fees] = await Promise.all([port.sureBalance(nativeCoin, port.account()), port.gasFees()]);
  const dear = gasTooDear(fees, { gas, value, rules });
  if (dear !== null) return dear;
  const price = priceOf(fees);
  const needed = laterCost(gas, price) + gasToCome.beside(network, swap, price);
  if (held >= needed) {
    gasToCome.add(swap);
    return null;
  }
  return (
    `the account of this node lacks ${needed - held} wei to claim by itself all that it may have to, and to take ` +
    'back what it locked: send it some'
  );
}
