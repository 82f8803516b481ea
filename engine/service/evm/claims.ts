import type { GaslessClaim, RedeemData } from '../../contract/records/evm.ts';
import type { ClaimGaslessRequest, RedeemDataRequest } from '../../contract/requests/evm.ts';
import { chainIdOf } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Unix } from '../../domain/time.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { callsHash } from '../../legs/evm/calls-hash.ts';
import type { Call, EvmSignature } from '../../legs/evm/contracts.ts';
import { isDeadAddress } from '../../legs/evm/dead-address.ts';
import { redeemDigest } from '../../legs/evm/digests.ts';
import { recoverSigner } from '../../legs/evm/signature.ts';
import { timelockPassed } from '../../legs/evm/timelocks.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { gasOf } from '../../quote/gas.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { mostReverts } from '../../swap/halves/evm/most-reverts.ts';
import type { ServiceContext } from '../context.ts';
import type { SwapClaim } from '../directions/direction.ts';
import { turnOf } from '../deposit/deposit.ts';
import { notOfThisSwap } from './not-of-this-swap.ts';
import { isRelayCounted } from './unpaid-sums.ts';
import { planClaim, type ClaimPlan } from '../market/calls.ts';
import { sentCalls } from '../market/sent-calls.ts';
import { unlessSaved } from '../unsaved.ts';

interface Claimed {
  readonly entry: Entry;
  readonly claim: SwapClaim;
}

function claimOf(context: ServiceContext, id: string): Claimed | Refusal {
  const entry = context.runtime.workingSet.find(id);
  const claim = entry === null ? null : (context.directions.of(entry.row.machine)?.claim(entry.row) ?? null);
  return entry === null || claim === null ? notOfThisSwap(context, id, 'claim-evm') : { entry, claim };
}

/** What the id and the state say against a claim, before the request is looked at. */
export function claimStanding(context: ServiceContext, id: string): Refusal | null {
  const swap = claimOf(context, id);
  if (isRefusal(swap)) return swap;
  const { entry, claim } = swap;
  if (claim.state.is === 'none')
    return refuse(
      'invalid',
      `Nothing is locked for this swap yet (${entry.row.status}): wait until it is serverfunded.`,
    );
  if (claim.state.is === 'over')
    return refuse('invalid', `There is nothing to claim in this swap any more (${entry.row.status}): take the refund.`);
  return null;
}

/**
 * What a client signs to have its claim relayed: fresh calls where the locked token is exchanged, and the floor that it
 * was promised.
 */
export async function redeemData(
  context: ServiceContext,
  id: string,
  request: RedeemDataRequest,
): Promise<RedeemData | Refusal> {
  const standing = claimStanding(context, id);
  if (standing !== null) return standing;
  const swap = claimOf(context, id);
  if (isRefusal(swap)) return swap;
  if (swap.claim.state.is === 'claimed')
    return refuse(
      'invalid',
      `The lock of this swap was claimed (${swap.entry.row.status}): there is nothing to sign any more.`,
    );
  const wrong = destinationFault(swap.claim, request);
  if (wrong !== null) return wrong;
  const plan = await planOf(context, swap.claim);
  if (isRefusal(plan)) return plan;
  const { exchange } = plan;
  return {
    calls_hash: `0x${toHex(callsHash(plan.calls))}`,
    gasless_fee_sats: 0,
    min_amount_out: plan.minAmountOut.toString(),
    ...(exchange === null
      ? {}
      : {
          dex_calldata: {
            data: `0x${toHex(exchange.data)}`,
            to: checksummed(exchange.target),
            value: exchange.value.toString(),
          },
        }),
  };
}

/**
 * Relays the client's claim. What was relayed or seen is answered as it stands, whatever the request says; a request
 * that comes while one is being sent, with an empty hash. Nothing is relayed twice: the state decides, in one commit.
 */
export async function claimGasless(
  context: ServiceContext,
  id: string,
  request: ClaimGaslessRequest,
): Promise<GaslessClaim | Refusal> {
  const standing = claimStanding(context, id);
  if (standing !== null) return standing;
  const swap = claimOf(context, id);
  if (isRefusal(swap)) return swap;
  if (swap.claim.state.is !== 'standing') return answerOf(swap);
  const isLeftOut = request.dexCall === null && direct(swap.claim) === null;
  const dexCall = isLeftOut ? await exchangeNow(context, swap.claim) : request.dexCall;
  if (isRefusal(dexCall)) return dexCall;
  const after = claimOf(context, id);
  if (isRefusal(after)) return after;
  if (after.claim.state.is !== 'standing') return claimStanding(context, id) ?? answerOf(after);
  const judged = judge(context, after, { ...request, dexCall });
  if (isRefusal(judged)) return judged;
  const { runtime, config } = context;
  const delivered = runtime.commits.deliver(id, { is: 'claim.requested', ...judged });
  const unsaved = unlessSaved(delivered);
  if (unsaved !== null) return unsaved;
  if (delivered === 'moved')
    await runtime.settled(id, () => !isSending(context, id), config.timing.createWaitSeconds * 1_000);
  const now = claimOf(context, id);
  if (isRefusal(now)) return now;
  const { state } = now.claim;
  if (state.is === 'standing' || state.is === 'over' || state.is === 'none')
    return refuse(
      'invalid',
      'The claim was not relayed: ' +
        `${(state.is === 'standing' ? state.refusal : null) ?? 'the lock cannot be claimed now'}. Ask for new ` +
        'calldata and sign again, or claim by a transaction of your own.',
    );
  return answerOf(now);
}

/**
 * No node is known to have it. Once it is signed it is saved with its nonce, and the account's queue sends the same
 * bytes whatever happens.
 */
function isSending(context: ServiceContext, id: string): boolean {
  const swap = claimOf(context, id);
  return !isRefusal(swap) && swap.claim.state.is === 'sending';
}

function answerOf({ entry, claim }: Claimed): GaslessClaim {
  const { id, status } = entry.row;
  const txid = claim.state.is === 'sent' || claim.state.is === 'claimed' ? claim.state.txid : null;
  return {
    id,
    status,
    message: claim.state.is === 'sending' ? 'The claim is being sent.' : 'The claim is on its way, or was seen.',
    tx_hash: txid === null ? '' : `0x${txid}`,
  };
}

/** What would be relayed; refused before any gas is spent where a field of it is not what the claimer signed. */
function judge(context: ServiceContext, { entry: { row }, claim }: Claimed, request: ClaimGaslessRequest) {
  const { lock, network, contracts, state } = claim;
  const wrong = destinationFault(claim, request);
  if (wrong !== null) return wrong;
  const reverts = state.is === 'standing' ? state.reverts : 0;
  if (reverts >= mostReverts)
    return refuse(
      'invalid',
      'Too many relays of this claim failed, and no more are made: claim by a transaction of your own, with what ' +
        `GET /swap/${row.id}/redeem-and-swap-calldata gives.`,
    );
  const stays = state.is === 'standing' && state.stays;
  // What a reorganisation took is made again whoever pays: the client's lock is ours by then.
  if (!claim.gasless && !stays)
    return refuse(
      'invalid',
      'This swap was created with gasless false and paid for no relay: claim by a transaction of your own, with ' +
        `what GET /swap/${row.id}/redeem-and-swap-calldata gives, before ${lock.timelock} (evm_refund_locktime, ` +
        'unix time).',
    );
  if (!stays && timelockPassed(Number(lock.timelock) as Unix, context.runtime.clock.now(), network))
    return refuse(
      'invalid',
      `The lock ended at ${lock.timelock} (unix time) and is being taken back: take the refund.`,
    );
  const preimage = preimageMatches(claim.hash, request.secret);
  if (preimage === null) return refuse('invalid', 'secret does not open this swap: its SHA-256 is not the hash_lock.');
  const plan = signedPlan(context, claim, request.dexCall);
  if (isRefusal(plan)) return plan;
  const { calls, sweepToken, minAmountOut } = plan;
  const { destination } = request;
  const signature = normal(request.signature);
  const payout = { destination, sweepToken, minAmountOut, callsHash: callsHash(calls) };
  const signer = recoverSigner(
    redeemDigest({ chainId: chainIdOf(network), contracts }, { lock, preimage, ...payout }),
    signature,
  );
  if (signer === null || !sameBytes(signer, lock.claimAddress))
    return refuse(
      'invalid',
      'The signature is not that of client_evm_address over this claim: sign the Redeem data with the values of ' +
        `the record, of redeem-and-swap-calldata and of this request${calls.length === 0 ? '' : sendBack}.`,
    );
  // The first relay is the client's own money; the gas of others that fail is nobody's, and a claim that never comes
  // pays for none.
  const isPaid = reverts === 0;
  const cost = context.markets.gas(network)?.(gasOf.relayClaim) ?? null;
  const by = { account: lock.claimAddress, proven: true };
  const turn =
    stays || (isPaid && isRelayCounted(context.runtime, { row, network, cost }))
      ? null
      : turnOf(context, row, claim, { by, isPaid });
  if (turn !== null) return turn;
  return { secret: preimage, destination, sweepToken, minAmountOut, calls, signature };
}

const sendBack = ', and send dex_calldata as it was given, for the signature covers it';

/** Some signers give the parity alone. */
function normal({ v, r, s }: EvmSignature): EvmSignature {
  return { v: v < 2 ? v + 27 : v, r, s };
}

function destinationFault(
  { contracts, lock, token }: SwapClaim,
  { destination, bridgeRecipient }: RedeemDataRequest,
): Refusal | null {
  if (bridgeRecipient !== null)
    return refuse('invalid', 'bridge_recipient is for chains other than EVM, and no swap goes to one: leave it out.');
  return isDeadAddress(destination, contracts, [lock.token, token])
    ? refuse('invalid', 'destination is an address that nobody can spend from: send one of your own.')
    : null;
}

/** The locked token itself is paid out as it is, whatever the chain's exchange says now. */
function direct({ lock, token, floor }: SwapClaim): ClaimPlan | null {
  return sameBytes(lock.token, token) ? { calls: [], exchange: null, sweepToken: token, minAmountOut: floor } : null;
}

async function planOf(context: ServiceContext, claim: SwapClaim): Promise<ClaimPlan | Refusal> {
  const plan = direct(claim);
  if (plan !== null) return plan;
  const market = context.markets.on(claim.network);
  if (market === null) return refuse('unavailable', 'The exchange of this chain does not answer now: try again later.');
  const { coordinator } = claim.contracts;
  // The floor was pinned when the swap was made: nothing is taken off it again.
  const exact = { ...market, slippageBps: 0 };
  const { token, floor, lock, onward } = claim;
  const hash = toHex(lock.preimageHash);
  return planClaim(exact, { hash, coordinator, locked: lock.amount, token, promised: floor, onward });
}

/** The exchange that a client signed without sending it back: the one of now, and its signature says whether it is. */
async function exchangeNow(context: ServiceContext, claim: SwapClaim): Promise<Call | null | Refusal> {
  const plan = await planOf(context, claim);
  return isRefusal(plan) ? plan : plan.exchange;
}

/**
 * The calls that the client signed, rebuilt from what it sends back: never from a new quote, which would be another
 * hash.
 */
function signedPlan(context: ServiceContext, claim: SwapClaim, sent: Call | null): ClaimPlan | Refusal {
  const plan = direct(claim);
  if (plan !== null)
    return sent === null
      ? plan
      : refuse('invalid', 'dex_calldata is for swaps into another token than the locked one: leave it out.');
  if (sent === null) throw new Error('a claim whose token is exchanged names its exchange');
  const market = context.markets.on(claim.network);
  if (market === null) return refuse('unavailable', 'The exchange of this chain does not answer now: try again later.');
  const { lock, onward } = claim;
  const calls = sentCalls(market, { sent, token: lock.token, amount: lock.amount, onward });
  if (isRefusal(calls)) return calls;
  // What goes on is no more there to be swept: its floor is inside the exchange.
  return { calls, exchange: sent, sweepToken: claim.token, minAmountOut: onward === null ? claim.floor : 0n };
}
