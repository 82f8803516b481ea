import { checksummed, withChecksum } from '../../../../domain/evm-address.ts';
import { evmFields, tokenInfo } from '../record.ts';
import { hashOf, type EvmFund, type EvmTarget, type Relay } from './terms.ts';

/** Of any state of a swap what its record says of our lock. */
export type LockProgress =
  | EvmFund['standing']
  | ({ readonly at: 'claiming' | 'claimed' | 'lost' } & EvmFund['revealed'])
  | ({ readonly at: 'returned' } & EvmFund['returned'])
  | { readonly at: 'refunded'; readonly returned?: EvmFund['returned'] }
  | { readonly at: string };

/** The claim of our lock as far as others can look it up: the mined one, or the one of ours that a node took. */
function claimTxidOf(p: LockProgress): string | null {
  if ('redeemTxid' in p && p.redeemTxid !== undefined) return p.redeemTxid;
  return p.at === 'relaying' || p.at === 'relayed' ? hashOf((p as { readonly relay: Relay }).relay) : null;
}

function fundTxidOf(p: LockProgress): string | null {
  if ('fundTxid' in p) return p.fundTxid;
  return 'returned' in p ? (p.returned?.fundTxid ?? null) : null;
}

/** What a record says of the lock that we make and of what its claim brings (facts/clients.md 22). */
export function targetView(t: EvmTarget, p: LockProgress) {
  const fundTxid = fundTxidOf(p);
  const claimTxid = claimTxidOf(p);
  return {
    target_amount: t.targetAmount.toString(),
    target_token: tokenInfo(t.network, t.target),
    ...evmFields({
      ...t,
      expected: t.lock.amount,
      service: t.lock.refundAddress,
      client: t.lock.claimAddress,
      clientText: t.clientText,
    }),
    target_evm_address: checksummed(t.targetAddress),
    ...(t.onward === undefined
      ? {}
      : { bridge_target_chain: t.onward.chain, bridge_target_token_address: withChecksum(t.onward.usdc) }),
    ...(fundTxid === null ? {} : { evm_fund_txid: `0x${fundTxid}` }),
    ...(claimTxid === null ? {} : { evm_claim_txid: `0x${claimTxid}` }),
  };
}
