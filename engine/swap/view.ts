import { toHex } from '../domain/hex.ts';
import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Sats } from '../domain/money.ts';
import type { SwapStatus } from '../domain/status.ts';
import type { VhtlcTerms } from '../legs/arkade/terms.ts';

/** What a record says besides terms and progress. */
export interface ViewFacts {
  readonly id: string;
  readonly createdAt: number;
  readonly status: SwapStatus;
  readonly network: BitcoinNetwork;
}

interface Fees {
  readonly feeSats: Sats;
  readonly networkFeeSats: Sats;
}

/** What every record begins with. */
export function common(facts: ViewFacts, { feeSats, networkFeeSats }: Fees) {
  return { ...begun(facts), fee_sats: Number(feeSats), network_fee_sats: Number(networkFeeSats) };
}

/**
 * The same where a record has no field for the network's part of the fee: it is in the fee (DECISIONS.md, "Fees come
 * from the pinned side").
 */
export function commonInOneFee(facts: ViewFacts, { feeSats, networkFeeSats }: Fees) {
  return { ...begun(facts), fee_sats: Number(feeSats + networkFeeSats) };
}

/**
 * Names that published clients derive addresses by: those of mutinynet are those of signet (facts/clients.md 17).
 */
const wireNames: Readonly<Partial<Record<ViewFacts['network'], 'bitcoin' | 'signet'>>> = {
  mainnet: 'bitcoin',
  mutinynet: 'signet',
};

function begun(facts: ViewFacts) {
  return {
    id: facts.id,
    created_at: new Date(facts.createdAt * 1_000).toISOString(),
    network: wireNames[facts.network] ?? facts.network,
    status: facts.status,
  };
}

/**
 * As every VHTLC key in a record has 33 bytes (facts/clients.md 16): one that came x-only stands for its even point
 * (BIP-340).
 */
export function compressed(key: string): string {
  return key.length === 64 ? `02${key}` : key;
}

/** What a record says of its VHTLC besides keys and address. */
export function vhtlcFields(vhtlc: VhtlcTerms) {
  return {
    arkade_htlc_script_version: 1,
    arkade_server_pk: toHex(vhtlc.operator),
    unilateral_claim_delay: vhtlc.claimDelay,
    unilateral_refund_delay: vhtlc.refundDelay,
    unilateral_refund_without_receiver_delay: vhtlc.refundWithoutReceiverDelay,
    vhtlc_refund_locktime: vhtlc.refundLocktime,
  };
}
