import { unix, type ReadClocks } from '../../engine/domain/time.ts';

export const now = 1_800_000_000;
export const network = 'evm:137' as const;

/** Seconds by which a clock is not where true time is. */
export interface Skews {
  readonly wall?: number;
  readonly bitcoin?: number;
  readonly evm?: number;
  readonly evmAhead?: number;
}

/** True time is `now`; each clock may be elsewhere. */
export function clocks({ wall = 0, bitcoin = 0, evm = 0, evmAhead }: Skews = {}): ReadClocks {
  return {
    wall: unix(now + wall),
    bitcoin: { mtp: unix(now + bitcoin), height: 900_000 },
    [network]: {
      mtp: unix(now + evm),
      height: 1_000,
      ...(evmAhead === undefined ? {} : { ahead: { mtp: unix(now + evmAhead), height: 1_100 } }),
    },
  };
}
