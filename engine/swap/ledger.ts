import { btc, noSats, type Sats } from '../domain/money.ts';
import type { LedgerLine } from './machine.ts';

type Network = 'arkade' | 'bitcoin' | 'lightning';

/** What a swap that ends well earned: its fees, and what its client gave over the price. */
export function earned(
  network: Network,
  { feeSats, networkFeeSats }: { readonly feeSats: Sats; readonly networkFeeSats: Sats },
  surplus = noSats,
): LedgerLine[] {
  return [
    { kind: 'protocol-fee', ...btc(network, feeSats) },
    { kind: 'network-fee-charged', ...btc(network, networkFeeSats) },
    ...(surplus > noSats ? [{ kind: 'surplus' as const, ...btc(network, surplus) }] : []),
  ];
}

/** Ours is the client's, which has its own as well. */
export function lossOf(network: Network, { targetAmount }: { readonly targetAmount: Sats }): LedgerLine {
  return { kind: 'loss', ...btc(network, -targetAmount) };
}

/** It came back after all. */
export function lossUndone(network: Network, { targetAmount }: { readonly targetAmount: Sats }): LedgerLine {
  return { kind: 'loss', ...btc(network, targetAmount) };
}

/** What the chain took for a transaction of ours. */
export function feePaid({ fee }: { readonly fee: Sats }): LedgerLine {
  return { kind: 'network-fee-paid', ...btc('bitcoin', -fee) };
}
