import { sats } from '../../domain/money.ts';

/** Above it a lock on an EVM chain is buried deeper: 0.1 BTC (facts/clients.md 32). */
export const muchOnEvm = sats(10_000_000n);
