import type { Outpoint } from '../domain/outpoint.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import type { Deposit, EvmSourceTerms } from './halves/evm/claim/terms.ts';
import type { OnchainSourceTerms } from './halves/bitcoin/claim/terms.ts';
import type { OnchainTargetTerms } from './halves/bitcoin/fund/terms.ts';
import type { SourceTerms } from './halves/arkade/claim/terms.ts';
import type { TargetTerms } from './halves/arkade/fund/terms.ts';

/*
 * The legs of a swap as somebody needs them who has lost the node: what a machine knows of them, without the machine. A
 * leg that is missing here in a state that needs it is money that no bundle brings home.
 */

/** The client's VHTLC. `coin`: null where the client's coin is among those that went back to it. */
export function vhtlcToClaim(t: SourceTerms, coin: Outpoint | null): RescueLeg {
  return { on: 'arkade', terms: t.vhtlc, key: { branch: 'swap', index: t.keyIndex }, coin, amount: t.sourceAmount };
}

/** Ours: nobody but this swap pays its script, so that the coin is found without its name. */
export function vhtlcToRefund(t: TargetTerms): RescueLeg {
  return {
    on: 'arkade',
    terms: t.vhtlc,
    key: { branch: 'swap', index: t.keyIndex },
    coin: null,
    amount: t.targetAmount,
  };
}

/** The client's HTLC on the Bitcoin chain. `coin`: null where it is found by its amount. */
export function htlcToClaim(t: OnchainSourceTerms, { coin }: { readonly coin: Outpoint | null }): RescueLeg {
  const { htlc: terms, keyIndex: index, sourceAmount: amount, htlcSince: since } = t;
  return { on: 'bitcoin', terms, key: { branch: 'swap', index }, coin, amount, since };
}

/** Ours there. A spent coin is found by its name alone. */
export function htlcToRefund(t: OnchainTargetTerms, coin: Outpoint | null): RescueLeg {
  const { htlc: terms, keyIndex: index, targetAmount: amount, htlcSince: since } = t;
  return { on: 'bitcoin', terms, key: { branch: 'swap', index }, coin, amount, since };
}

/** The client's lock on an EVM chain, with the amount that its event told. */
export function lockToClaim({ network, contracts, since }: EvmSourceTerms, { lock }: Pick<Deposit, 'lock'>): RescueLeg {
  return { on: 'evm', network, contracts, lock, since };
}
