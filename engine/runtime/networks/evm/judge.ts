import type { EvmNetwork } from '../../../domain/chain.ts';
import { PortFailure } from '../../../domain/errors.ts';
import type { StillDeposited, StillEscrowed, StillOffered } from '../../../legs/evm/conditions.ts';
import type { EvmPort, EvmReceipt } from '../../../legs/evm/port.ts';
import { safeToFinish, safeToGive, type Give } from '../../../legs/safety/give.ts';
import { safeToFundForLock } from '../../../legs/safety/lock.ts';
import { safeToPayForLock } from '../../../legs/safety/pay.ts';
import { safeToRevealForLock } from '../../../legs/safety/reveal.ts';
import { wait, type Safety } from '../../../legs/safety/verdict.ts';
import { lockEnd } from '../../../legs/evm/timelocks.ts';
import type { Clock } from '../../clock.ts';
import { bitcoinOf, evmOf, type Ports } from '../../ports.ts';
import { receiptOfLock, type MadeLock } from './lock-receipt.ts';
import type { LocksTogether } from './locks-together.ts';
import { notClaimableAlone } from './own-claim.ts';
import type { RulesOf } from './rules.ts';
import type { GasToCome } from './gas-to-come.ts';

interface Asks {
  readonly ports: Pick<Ports, EvmNetwork | 'bitcoin'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Gives extends Asks {
  readonly locks: LocksTogether;
  /** The swap that something is given in, or a secret of ours is shown. */
  readonly swap: string;
}

/** Whether the client's lock still stands, deep and for long enough to pay for it. */
export function judgeDeposit(facts: StillDeposited, gives: Gives, maxTimeoutHeight: number): Promise<Safety> {
  const { network, confirmations, finalCltv, invoiceExpiresAt, policy } = facts;
  const refundLocktime = lockEnd(facts);
  const pay = { network, confirmations, refundLocktime, maxTimeoutHeight, finalCltv, invoiceExpiresAt };
  const safety = (depth: number | null): Safety => safeToPayForLock({ ...pay, depth }, gives.clock.now(), policy);
  return judge(facts, gives, safety, () => null);
}

/** Whether the client's lock still stands, deep and for long enough to fund an HTLC against it. */
export function judgeEscrow(facts: StillEscrowed, gives: Gives): Promise<Safety> {
  return escrow(facts, gives, safeToGive);
}

/** The same to finish a VHTLC that the operator has half. */
export function judgeEscrowToFinish(facts: StillEscrowed, gives: Gives): Promise<Safety> {
  return escrow(facts, gives, safeToFinish);
}

function escrow(facts: StillEscrowed, gives: Gives, give: Give): Promise<Safety> {
  const { network, confirmations, htlcRefundLocktime, policy } = facts;
  const lock = { network, confirmations, timelock: lockEnd(facts), htlcRefundLocktime };
  const safety = (depth: number | null): Safety =>
    safeToFundForLock({ ...lock, depth }, gives.clock.now(), policy, give);
  return judge(facts, gives, safety, () => bitcoinOf(gives.ports).disagreement());
}

async function judge(
  facts: StillDeposited | StillEscrowed,
  { ports, clock, locks, swap }: Gives,
  safety: (depth: number | null) => Safety,
  doubtBeside: () => string | null,
): Promise<Safety> {
  const { network } = facts;
  const port = evmOf(ports, network);
  // Before the lock: nothing is waited for between the look at that and the act.
  await locks.settle(network, port, clock.now()[network]?.height ?? 0);
  const stands = await standingLock(port, facts);
  const unsafe = safety(stands?.depth ?? null);
  if (unsafe !== null) return unsafe;
  const doubt = port.disagreement() ?? doubtBeside();
  if (doubt !== null) return wait(doubt);
  return stands === null ? null : admitted(facts, stands, { locks, swap });
}

/**
 * Whether the provider's lock still stands, deep and for long enough to show our secret for it, and whether we could
 * claim it alone.
 */
export async function judgeOffer(
  facts: StillOffered,
  { ports, clock, gasToCome, locks, swap, evm }: Gives & { readonly gasToCome: GasToCome; readonly evm: RulesOf },
): Promise<Safety> {
  const port = evmOf(ports, facts.network);
  await locks.settle(facts.network, port, clock.now()[facts.network]?.height ?? 0);
  const stands = await standingLock(port, facts);
  const { network, confirmations, value, policy } = facts;
  const timelock = lockEnd(facts);
  const depth = stands?.depth ?? null;
  const safety = safeToRevealForLock({ network, depth, confirmations, timelock }, clock.now(), policy);
  if (safety !== null) return safety;
  const doubt =
    port.disagreement() ??
    (await notClaimableAlone(port, { network, swap, value, rules: evm(network), gasToCome })) ??
    port.disagreement();
  if (doubt !== null) return wait(doubt);
  return stands === null ? null : admitted(facts, stands, { locks, swap });
}

/** Last, for it counts the lock. */
function admitted(
  { network, value: amount, htlc, lock, txid }: StillDeposited | StillEscrowed | StillOffered,
  stands: StandingLock,
  { locks, swap }: Pick<Gives, 'locks' | 'swap'>,
): Safety {
  return locks.admit({ swap, amount, height: stands.height, made: { network, htlc, lock, txid } }, stands);
}

interface StandingLock {
  /** Of the block that it is in, and of the chain. */
  readonly height: number;
  readonly tip: number;
  /** Blocks that stand on it, its own counted. */
  readonly depth: number;
  /** Too few RPCs answer to agree on it. */
  readonly alone: boolean;
}

/**
 * How the lock stands, by the transaction that made it and by the contract itself: a log alone may be of a block that
 * is gone, and what stands may have been taken since. Null where either does not show it.
 */
async function standingLock(
  port: EvmPort,
  facts: StillDeposited | StillEscrowed | StillOffered,
): Promise<StandingLock | null> {
  const { htlc, lock, agreed } = facts;
  const { receipt, alone } = await shown(port, facts);
  if (receipt === null || !(await port.isActive(htlc, lock, { agreed }))) return null;
  const { height: tip } = await port.tip();
  return { height: receipt.height, tip, depth: Math.max(0, tip - receipt.height + 1), alone };
}

/** For little the word of too few is enough, where no more answer. */
async function shown(
  port: EvmPort,
  facts: MadeLock & Pick<StillDeposited, 'agreed'>,
): Promise<{ readonly receipt: EvmReceipt | null; readonly alone: boolean }> {
  try {
    return { receipt: await receiptOfLock(port, facts, { agreed: true }), alone: false };
  } catch (cause) {
    if (facts.agreed || !(cause instanceof PortFailure)) throw cause;
    return { receipt: await receiptOfLock(port, facts, { agreed: false }), alone: true };
  }
}
