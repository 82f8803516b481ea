import { hashOf, type EvmFund, type EvmTarget, type Relay, type Revealed } from '../../swap/halves/evm/fund/terms.ts';
import type { SwapClaim } from '../directions/direction.ts';

/** Any state of a swap with a lock of ours. */
type LockedProgress =
  | EvmFund['standing']
  | ({ readonly at: 'claiming' | 'claimed' | 'lost' } & Revealed)
  | {
      readonly at:
        'opening' | 'unopened' | 'pending' | 'unnamed' | 'seen' | 'stopped' | 'returned' | 'lapsed' | 'refunded';
    };

function standing({ reverts, refusal }: { reverts: number; refusal?: string }, stays: boolean): SwapClaim['state'] {
  return { is: 'standing', reverts, refusal: refusal ?? null, stays };
}

function relayed(relay: Relay, { reverts }: { reverts: number }, stays: boolean): SwapClaim['state'] {
  const txid = hashOf(relay);
  return txid === null ? { is: 'sending', isSigned: relay.txid !== null, reverts, stays } : { is: 'sent', txid };
}

function claimSeen({ relay, redeemTxid }: Pick<Revealed, 'relay' | 'redeemTxid'>): SwapClaim['state'] {
  const own = relay !== null && [relay.by, relay.taken, relay.txid].includes(redeemTxid);
  return { is: 'claimed', txid: own ? redeemTxid : null };
}

/** A claim that a reorganisation took, and what is on its way to make it again; null while the chain shows one. */
function claimAgain({ shallow, relay }: Revealed): SwapClaim['state'] | null {
  if (shallow === undefined) return null;
  if (relay?.txid === null) return relayed(relay, shallow, true);
  if (shallow.missing === undefined) return null;
  return relay === null ? standing(shallow, true) : relayed(relay, shallow, true);
}

function claimState(p: LockedProgress): SwapClaim['state'] {
  switch (p.at) {
    case 'locked':
      return standing(p, false);
    case 'relaying':
    case 'relayed':
      return relayed(p.relay, p, false);
    case 'claimed':
      return claimAgain(p) ?? claimSeen(p);
    case 'claiming':
    case 'lost':
      return claimSeen(p);
    case 'pending':
    case 'unnamed':
    case 'seen':
    case 'funded':
    case 'locking':
      return { is: 'none' };
    default:
      return { is: 'over' };
  }
}

/** Our lock as its client claims it. */
export function claimOf(t: EvmTarget, p: LockedProgress): SwapClaim {
  return {
    network: t.network,
    contracts: t.contracts,
    lock: t.lock,
    hash: t.hash,
    token: t.target.address,
    floor: t.floor,
    onward: t.onward ?? null,
    gasless: t.gasless,
    state: claimState(p),
  };
}
