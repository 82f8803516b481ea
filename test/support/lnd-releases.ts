import { lnd020, type LndRelease } from '../../engine/sandbox/world/lightning/release.ts';

export const lnd021: LndRelease = { ...lnd020, version: '0.21.1-beta', cancelBlocks: 18, leastCltvDelta: 24 };
