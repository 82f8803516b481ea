import type { Relayed } from '../../contract/records/evm.ts';
import type { CollabRefundEvmParams, RefundCalldata } from '../../contract/records/refunds.ts';
import type { CollabRefundEvmRequest } from '../../contract/requests/evm.ts';
import { chainIdOf } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { callsHash } from '../../legs/evm/calls-hash.ts';
import { refundToCall } from '../../legs/evm/client-calls.ts';
import { collabRefundDigest } from '../../legs/evm/digests.ts';
import { recoverSigner } from '../../legs/evm/signature.ts';
import { hash160OfSha256 } from '../../legs/secret.ts';
import { hashOf } from '../../swap/halves/evm/claim/sent.ts';
import type { Deposit, ExtraLock } from '../../swap/halves/evm/claim/terms.ts';
import { givenSince, stillPays } from '../refund/given-since.ts';
import type { ServiceContext } from '../context.ts';
import { unlessSaved } from '../unsaved.ts';
import { depositOf, signedOn, turnOf, unanswered, whenShown, type Deposited } from './deposit.ts';
import type { SwapDeposit } from './swap-deposit.ts';

/**
 * The call by which anybody refunds the depositor from the timelock on; there as soon as the lock is seen, whatever the
 * time (facts/clients.md 36).
 */
export function refundCalldata(context: ServiceContext, id: string): RefundCalldata | Refusal {
  const swap = depositOf(context, id, 'refund-evm-alone');
  if (isRefusal(swap)) return swap;
  const { terms, own, extras } = swap.deposit;
  const locks = extras.filter((one) => throughCoordinator(swap.deposit, one));
  const lock = own ?? locks.find(({ taken }) => !taken) ?? null;
  if (lock === null) return refuse('invalid', `Nothing is locked for this swap ${whyNone(locks)}`);
  const { coordinator } = terms.contracts;
  return {
    coordinator_address: checksummed(coordinator),
    calldata: `0x${toHex(refundToCall(coordinator, lock.lock).data)}`,
  };
}

/** What is said of locks none of which lies there any more. */
function whyNone(locks: readonly ExtraLock[]): string {
  if (locks.length === 0) return 'yet: ask again once its funding is seen on the chain.';
  const back = locks.find((one) => one.back !== undefined)?.back;
  return back === undefined
    ? 'any more: look at the coordinator’s events for what took it.'
    : `any more: 0x${back} gave it back to its depositor.`;
}

/** What a depositor signs to have its lock back before the timelock. */
export function collabRefundEvmParams(context: ServiceContext, id: string): CollabRefundEvmParams | Refusal {
  const swap = depositOf(context, id, 'refund-evm');
  if (isRefusal(swap)) return swap;
  const [first] = refundable(context, swap);
  if (first === undefined) return notInThisState(swap);
  const { terms } = swap.deposit;
  const { lock } = first;
  return {
    amount: lock.amount.toString(),
    calls_hash: `0x${toHex(callsHash([]))}`,
    chain_id: chainIdOf(terms.network),
    claim_address: checksummed(lock.claimAddress),
    coordinator_address: checksummed(terms.contracts.coordinator),
    coordinator_version: Number(terms.contracts.coordinatorVersion),
    min_amount_out: '0',
    preimage_hash: `0x${toHex(lock.preimageHash)}`,
    server_signer_address: checksummed(swap.port.account()),
    sweep_token: checksummed(lock.token),
    timelock: Number(lock.timelock),
    token: checksummed(lock.token),
  };
}

/**
 * Gives a lock back with the depositor's signature and ours, by a transaction of ours. The swap is closed for every
 * payment in a commit, before our signature exists: it never expires (facts/clients.md 26).
 */
export async function collabRefundEvm(
  context: ServiceContext,
  id: string,
  request: CollabRefundEvmRequest,
): Promise<Relayed | Refusal> {
  const swap = depositOf(context, id, 'refund-evm');
  if (isRefusal(swap)) return swap;
  const { commits, store } = context.runtime;
  if (givenSince(context, swap.entry.row)) return notInThisState(swap);
  const paying = await stillPays(context, swap.entry, swap.deposit.latePayment);
  if (isRefusal(paying)) return paying;
  if (paying) return notInThisState(swap);
  const current = depositOf(context, id, 'refund-evm');
  if (isRefusal(current)) return current;
  const signature = {
    ...request.signature,
    v: request.signature.v < 27 ? request.signature.v + 27 : request.signature.v,
  };
  const { depositor } = request;
  const lock = await signedLock(current, { depositor, signature });
  if (isRefusal(lock)) return lock;
  const { key } = lock;
  const { terms, refund } = current.deposit;
  // What is on its way already is only told of.
  const turn =
    refund !== null && sameBytes(refund.key, key)
      ? null
      : turnOf(context, current.entry.row, terms, { by: { account: depositor, proven: true } });
  if (turn !== null) return turn;
  const delivered = commits.deliver(id, { is: 'evm-refund.requested', key, depositor, signature });
  const unsaved = unlessSaved(delivered);
  if (unsaved !== null) return unsaved;
  if (delivered === 'moved') {
    // A database from before this one is noticed by it, and pays no more for what is signed now (facts/faults.md 5).
    store.intents.note('refund', id, hash160OfSha256(terms.hash));
    return refunded(context, id, lock);
  }
  // It is on its way, or was: whoever asks again is told of the same.
  const now = depositOf(context, id, 'refund-evm');
  const before = isRefusal(now) ? null : now.deposit.refund;
  return before !== null && sameBytes(before.key, key) ? refunded(context, id, lock) : notInThisState(current);
}

async function refunded(context: ServiceContext, id: string, { key }: Deposit): Promise<Relayed | Refusal> {
  const hash = (deposit: SwapDeposit | null): string | null =>
    deposit !== null && deposit.refund !== null && sameBytes(deposit.refund.key, key)
      ? hashOf(deposit, deposit.refund.txid)
      : null;
  const after = await whenShown(context, id, (deposit) => hash(deposit) !== null || deposit.refund === null);
  const txid = hash(after);
  if (txid !== null)
    return {
      id,
      tx_hash: `0x${txid}`,
      message: 'The refund was sent.',
      status: context.runtime.store.swaps.statusOf(id) ?? 'pending',
    };
  if (after !== null && after.refund !== null)
    return refuse(
      'unavailable',
      'The refund is being sent, and no node of the chain took it yet: ask again, and the same request is ' +
        'answered with its transaction.',
    );
  return refuse(
    'unavailable',
    `The refund was not sent: ${after?.refusal ?? 'the swap is over'}. Ask again, or refund alone from ` +
      `${after?.terms.lock.timelock ?? 'the timelock'} (unix time) on.`,
  );
}

/** The lock that the signature gives back: the client may have made more than one. */
async function signedLock(
  { entry, deposit, port }: Deposited,
  { depositor, signature }: Pick<CollabRefundEvmRequest, 'depositor' | 'signature'>,
): Promise<ExtraLock | Refusal> {
  const { terms } = deposit;
  const locks = deposit.extras.filter((one) => throughCoordinator(deposit, one));
  if (locks.length === 0) return notInThisState({ entry, deposit });
  const caller = port.account();
  const lock = locks.find((one) => {
    const signer = recoverSigner(collabRefundDigest(signedOn(terms), { lock: one.lock, caller }), signature);
    return signer !== null && sameBytes(signer, depositor);
  });
  if (lock === undefined)
    return refuse(
      'invalid',
      `The signature is not of ${checksummed(depositor)} over what collab-refund-evm/params gave: sign all of its ` +
        'fields as given there.',
    );
  try {
    const owner = lock.depositor ?? (await port.depositor(terms.contracts.coordinator, lock.key));
    if (owner !== null && sameBytes(owner, depositor)) return lock;
    return refuse(
      'invalid',
      `depositor_address is ${checksummed(depositor)}, and the lock was made by ` +
        `${owner === null ? 'nobody that the coordinator knows' : checksummed(owner)}: sign with that account.`,
    );
  } catch (cause) {
    return unanswered(cause, terms);
  }
}

/** The locks whose refund we would sign now. */
function refundable({ runtime }: ServiceContext, { entry, deposit }: Deposited): readonly ExtraLock[] {
  const { row, machine } = entry;
  const signature = { v: 27, r: new Uint8Array(32), s: new Uint8Array(32) };
  return deposit.extras.filter(({ key, depositor, taken }) => {
    if (taken) return false;
    const event = {
      is: 'evm-refund.requested',
      key,
      depositor: depositor ?? deposit.terms.clientAddress,
      signature,
    } as const;
    return machine.step(row.terms, row.progress, event, runtime.clock.now()) !== 'stay';
  });
}

function throughCoordinator({ terms }: SwapDeposit, { lock }: Deposit): boolean {
  return sameBytes(lock.refundAddress, terms.contracts.coordinator);
}

function notInThisState({ entry, deposit }: Pick<Deposited, 'entry' | 'deposit'>): Refusal {
  const { lock } = deposit.terms;
  return refuse(
    'forbidden',
    deposit.own === null && deposit.extras.length === 0
      ? `Refund not allowed in current swap state (${entry.row.status}): nothing is locked.`
      : `Refund not allowed in current swap state (${entry.row.status}): from ${lock.timelock} (unix time) on the ` +
          'client can refund alone.',
  );
}

/** What the id and the state say against a refund before its timelock. */
export function refundEvmStanding(context: ServiceContext, id: string): Refusal | null {
  const swap = depositOf(context, id, 'refund-evm');
  if (isRefusal(swap)) return swap.refusal === 'unavailable' ? null : swap;
  const { refund } = swap.deposit;
  return refund !== null || refundable(context, swap).length > 0 ? null : notInThisState(swap);
}
