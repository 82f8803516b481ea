import type { OperatorSettings } from '../../../../engine/sandbox/world/arkade/settings.ts';
import type { Bench } from './bench.ts';
import type { Answer } from './compare.ts';

/** Brings an operator into the situation of a recording and sends it a like request. */
export interface Situation {
  readonly settings?: Partial<OperatorSettings>;
  act(bench: Bench): Promise<Answer>;
}

/** Of one recorded file, by the name of the exchange. */
export type Table = Readonly<Record<string, Situation | Situation['act']>>;

export const inBlocks: Partial<OperatorSettings> = {
  exitDelay: 5,
  publicExitDelay: 5,
  boardingExitDelay: 10,
  checkpointExitDelay: 5,
  vtxoExpiry: 30,
};

export const unknownTxid = 'ab'.repeat(32);
export const unknownScript = `5120${unknownTxid}`;
export const unknownId = '00000000-0000-0000-0000-000000000000';

export function locked({ operator }: Bench): void {
  operator.admin.wallet.set({ unlocked: false });
}

export function syncing({ operator }: Bench): void {
  operator.admin.wallet.set({ synced: false });
}
