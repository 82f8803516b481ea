import { bytesToHex } from 'viem/utils';
import type { EvmAddress } from '../domain/evm.ts';
import { sameBytes, type Preimage } from '../domain/hash.ts';
import type { EvmNetwork } from '../domain/chain.ts';
import { claimCall, refundCall, relayClaimCall } from '../legs/evm/calls.ts';
import { refundToCall } from '../legs/evm/client-calls.ts';
import type { EvmCall, EvmPort, LockEvent } from '../legs/evm/port.ts';
import { swapKey, type LockTerms } from '../legs/evm/swap-key.ts';
import type { RescueLeg, RescueTaker } from '../legs/rescue.ts';
import { preimageMatches } from '../legs/secret.ts';
import { ifKnown } from '../runtime/networks/if-known.ts';
import { signClaim } from '../runtime/networks/evm/sign.ts';
import { evmOf, takerAccountsOf, type Ports } from '../runtime/ports.ts';
import { lockEnd } from '../legs/evm/timelocks.ts';
import { ownPayer, sendBy, takerPayer, type EvmPatience, type Payer } from './evm-payer.ts';
import type { Done, LegHand, LegLook } from './leg.ts';

type Leg = Extract<RescueLeg, { on: 'evm' }>;

/**
 * Locks on EVM chains, by our own account. One transaction at a time: it takes the first nonce that is not mined, in
 * the place of whatever the node left waiting there, so that nothing of ours is ever sent twice and nothing old stands
 * in the way.
 */
export function evmHand(ports: Ports, patience: EvmPatience): LegHand<Leg> {
  async function take(leg: Leg, secret: Preimage | null): Promise<Done> {
    const port = evmOf(ports, leg.network);
    const call = callOf({ ...leg, lock: await lockOf(leg, port) }, secret);
    const simulated = await port.simulate(call);
    if (simulated.is === 'reverts')
      return { is: 'later', sentence: `the contract does not take it now: ${simulated.reason}` };
    return sendBy(payersOf(leg), { port, call, gas: (simulated.gas * 5n) / 4n, patience });
  }

  /** What is signed for a key of the taker's pays whoever it belongs to, whichever account sends it. */
  function callOf({ network, contracts, lock, taker }: Leg, secret: Preimage | null): EvmCall {
    if (taker === undefined) return secret === null ? refundCall(contracts, lock) : claimCall(contracts, lock, secret);
    if (secret === null) return refundToCall(contracts.coordinator, lock);
    const { key, destination } = taker;
    const claim = { lock, calls: [], sweepToken: lock.token, minAmountOut: lock.amount, destination, key };
    return relayClaimCall(
      contracts,
      { ...claim, signature: signClaim({ network, contracts }, claim, secret, ports) },
      secret,
    );
  }

  function payersOf({ network, taker }: Leg): Payer[] {
    const own = ownPayer(evmOf(ports, network));
    return taker === undefined ? [own] : [own, takerPayer(ports, network, taker.key)];
  }

  /**
   * The coordinator locks whatever it holds, which may be more than was agreed: what it noted for our account is ours.
   */
  async function lockOf({ contracts, lock, since, taker }: Leg, port: EvmPort): Promise<LockTerms> {
    if (taker === undefined || !sameBytes(lock.refundAddress, contracts.coordinator)) return lock;
    const own = takerAccountsOf(ports).accountOf(taker.key);
    const { height } = await port.tip();
    for (const { what } of await port.events({ htlc: contracts.htlc, from: since, to: height })) {
      if (what.is !== 'created' || what.terms.amount < lock.amount) continue;
      if (!sameBytes(swapKey({ ...what.terms, amount: lock.amount }), swapKey(lock))) continue;
      if (await isNoted(port, contracts, { lock: what.terms, by: own })) return what.terms;
    }
    return lock;
  }

  return {
    name: ({ network, lock, contracts }) =>
      `${lock.amount} of ${bytesToHex(lock.token)} in the contract ${bytesToHex(contracts.htlc)} on ${network}`,

    async look(leg): Promise<LegLook> {
      const { network, contracts, since } = leg;
      const port = evmOf(ports, network);
      const tip = await port.tip();
      const lock = await lockOf(leg, port);
      const at = lockEnd({ lock });
      const timelock = { at, over: tip.time >= at, clock: `the block time of ${network}` };
      if (await port.isActive(contracts.htlc, lock)) return { state: { is: 'standing' }, timelock };
      const key = swapKey(lock);
      const events = (await port.events({ htlc: contracts.htlc, from: since, to: tip.height })).filter((one) =>
        sameBytes(one.key, key),
      );
      /** What two RPCs say of its transaction: a log may be told at any height by one (facts/faults.md 372). */
      async function isFinal({ txid, blockHash, height }: LockEvent): Promise<boolean> {
        const receipt = await ifKnown(() => port.receipt(txid, { agreed: true }));
        if (!receipt?.ok || receipt.blockHash !== blockHash) return false;
        return tip.height - Math.max(height, receipt.height) + 1 >= patience.burial(network);
      }
      const someFinal = async (ends: readonly LockEvent[]) => (await Promise.all(ends.map(isFinal))).includes(true);
      const secretOf = ({ what }: LockEvent) =>
        what.is === 'redeemed' ? preimageMatches(lock.preimageHash, what.preimage) : null;
      const claims = events.filter((one) => secretOf(one) !== null);
      const [secret] = claims.map(secretOf);
      if (secret) return { state: { is: 'claimed', secret, final: await someFinal(claims) }, timelock };
      const refunds = events.filter(({ what }) => what.is === 'refunded');
      if (refunds.length > 0) return { state: { is: 'refunded', final: await someFinal(refunds) }, timelock };
      return {
        state: events.length === 0 ? { is: 'nothing' } : { is: 'unclear', reason: 'its RPCs disagree about it' },
        timelock,
      };
    },

    take,

    async bringOn() {
      return { is: 'later', sentence: 'it is not buried yet' };
    },
  };
}

/** Locks that are ours to take back, by what the contract tells of our accounts: what the seed alone finds. */
export async function ownLocks(
  port: EvmPort,
  of: {
    readonly network: EvmNetwork;
    readonly contracts: Leg['contracts'];
    /** Blocks, both included. */
    readonly from: number;
    readonly to: number;
    /** Of swaps of our own. */
    readonly taker: RescueTaker;
  },
): Promise<Leg[]> {
  const { network, contracts, from, to, taker } = of;
  const legs: Leg[] = [];
  for (const { what, height: since } of await port.events({ htlc: contracts.htlc, from, to })) {
    if (what.is !== 'created') continue;
    const { terms: lock } = what;
    const isOwn = sameBytes(lock.refundAddress, port.account());
    if (!isOwn && !sameBytes(lock.refundAddress, contracts.coordinator)) continue;
    if (!(await port.isActive(contracts.htlc, lock))) continue;
    if (isOwn) legs.push({ on: 'evm', network, contracts, lock, since });
    else if (await isNoted(port, contracts, { lock, by: taker.destination }))
      legs.push({ on: 'evm', network, contracts, lock, since, taker });
  }
  return legs;
}

/** Whether the coordinator pays a refund of the lock to the account. */
async function isNoted(
  port: EvmPort,
  { coordinator }: Leg['contracts'],
  { lock, by }: { readonly lock: LockTerms; readonly by: EvmAddress },
): Promise<boolean> {
  const depositor = await port.depositor(coordinator, swapKey(lock));
  return depositor !== null && sameBytes(depositor, by);
}
