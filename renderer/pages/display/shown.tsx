import { onDemand } from '../../parts/on-demand.tsx';

/** Both come after what they stand beside, and most owners set neither. */
export const Fiat = onDemand(async () => (await import('./fiat-text.tsx')).FiatText);
export const PriceOfBitcoin = onDemand(async () => (await import('./fiat-text.tsx')).FiatPrice);
export const Explorer = onDemand(async () => (await import('./explorer-link.tsx')).ExplorerLink);
