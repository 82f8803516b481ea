import { bytesToHex } from 'viem/utils';
import { asEvmAddress, type EvmAddress } from '../domain/evm.ts';
import { sameBytes, type Preimage } from '../domain/hash.ts';
import { unix } from '../domain/time.ts';
import type { EvmNetwork } from '../domain/chain.ts';
import { claimCall, refundCall } from '../legs/evm/calls.ts';
import type { EvmPort, GasFees } from '../legs/evm/port.ts';
import { swapKey } from '../legs/evm/swap-key.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { preimageMatches } from '../legs/secret.ts';
import { evmOf, type Ports } from '../runtime/ports.ts';
import type { Done, LegHand, LegLook } from './leg.ts';

type Leg = Extract<RescueLeg, { on: 'evm' }>;

const nativeCoin = asEvmAddress(new Uint8Array(20));
/** Raises of a fee in one run, each by an eighth, where a transaction with the same nonce waits. */
const mostRaises = 24;

export interface EvmPatience {
  /** Blocks after which what ended a lock is there for good. */
  readonly burial: (network: EvmNetwork) => number;
  /** Milliseconds that a transaction is waited for, and between two looks. */
  readonly mined: number;
  readonly look: number;
}

/**
 * Locks on EVM chains, by our own account. One transaction at a time: it takes the first nonce that is not mined, in the place of whatever
 * the node left waiting there, so that nothing of ours is ever sent twice and nothing old stands in the way.
 */
export function evmHand(ports: Ports, patience: EvmPatience): LegHand<Leg> {
  async function take({ network, contracts, lock }: Leg, secret: Preimage | null): Promise<Done> {
    const port = evmOf(ports, network);
    const call = secret === null ? refundCall(contracts, lock) : claimCall(contracts, lock, secret);
    const simulated = await port.simulate(call);
    if (simulated.is === 'reverts')
      return { is: 'later', sentence: `the contract does not take it now: ${simulated.reason}` };
    const gas = (simulated.gas * 5n) / 4n;
    let fees = await port.gasFees();
    const needed = gas * priceOf(fees);
    const has = await port.balance(nativeCoin, port.account());
    if (has < needed)
      return {
        is: 'failed',
        sentence: `the account ${bytesToHex(port.account())} has ${has} wei for gas, and ${needed} are needed: send it some, and run this again`,
      };
    for (let raises = 0; raises < mostRaises; raises++) {
      const { mined: nonce } = await port.nonces();
      const { txid, bytes } = port.sign({ ...call, nonce, gas, fees });
      const answer = await port.broadcast(bytes);
      if (answer.is === 'refused') return { is: 'failed', sentence: `the chain refuses it: ${answer.reason}` };
      if (answer.is === 'nonce-used')
        return { is: 'later', sentence: 'another transaction of the account was mined just now' };
      if (answer.is === 'accepted') return mined(port, txid);
      if (has < gas * priceOf(raised(fees))) break;
      fees = raised(fees);
    }
    return { is: 'later', sentence: 'a transaction of the account waits with a higher fee than it can pay' };
  }

  async function mined(port: EvmPort, txid: string): Promise<Done> {
    const end = performance.now() + patience.mined;
    for (;;) {
      const receipt = await port.receipt(txid);
      if (receipt !== null)
        return receipt.ok
          ? { is: 'done', sentence: `done with 0x${txid}` }
          : { is: 'failed', sentence: `0x${txid} was mined and did nothing: run this again` };
      if (performance.now() > end) return { is: 'later', sentence: `sent with 0x${txid}, and not mined yet` };
      await new Promise((resolve) => setTimeout(resolve, patience.look));
    }
  }

  return {
    name: ({ network, lock, contracts }) =>
      `${lock.amount} of ${bytesToHex(lock.token)} in the contract ${bytesToHex(contracts.htlc)} on ${network}`,

    async look({ network, contracts, lock, since }): Promise<LegLook> {
      const port = evmOf(ports, network);
      const tip = await port.tip();
      const at = unix(Number(lock.timelock));
      const timelock = { at, over: tip.time >= at, clock: `the block time of ${network}` };
      if (await port.isActive(contracts.htlc, lock)) return { state: { is: 'standing' }, timelock };
      const key = swapKey(lock);
      const events = (await port.events({ htlc: contracts.htlc, from: since, to: tip.height })).filter((one) =>
        sameBytes(one.key, key),
      );
      for (const { what, height } of events.toReversed()) {
        const final = tip.height - height + 1 >= patience.burial(network);
        if (what.is === 'refunded') return { state: { is: 'refunded', final }, timelock };
        const secret = what.is === 'redeemed' ? preimageMatches(lock.preimageHash, what.preimage) : null;
        if (secret !== null) return { state: { is: 'claimed', secret, final }, timelock };
      }
      return {
        state: events.length === 0 ? { is: 'nothing' } : { is: 'unclear', reason: 'its RPCs tell of it in two ways' },
        timelock,
      };
    },

    take,

    async bringOn() {
      return { is: 'later', sentence: 'it is not buried yet' };
    },
  };
}

function priceOf(fees: GasFees): bigint {
  return fees.is === 'legacy' ? fees.price : fees.most;
}

function raised(fees: GasFees): GasFees {
  const more = (wei: bigint) => (wei * 9n) / 8n + 1n;
  return fees.is === 'legacy'
    ? { ...fees, price: more(fees.price) }
    : { ...fees, most: more(fees.most), tip: more(fees.tip) };
}

/** Locks that are ours to take back, by what the contract tells of our account: what the seed alone finds. */
export async function ownLocks(
  port: EvmPort,
  of: { readonly network: EvmNetwork; readonly contracts: Leg['contracts']; readonly from: number },
): Promise<Leg[]> {
  const { network, contracts, from } = of;
  const own: EvmAddress = port.account();
  const { height } = await port.tip();
  const legs: Leg[] = [];
  for (const { what, height: since } of await port.events({ htlc: contracts.htlc, from, to: height })) {
    if (what.is !== 'created' || !sameBytes(what.terms.refundAddress, own)) continue;
    if (await port.isActive(contracts.htlc, what.terms))
      legs.push({ on: 'evm', network, contracts, lock: what.terms, since });
  }
  return legs;
}
