import { randomUUID } from 'node:crypto';
import type { NodeSession } from './batch-tree.ts';
import type { Commitment } from './commitment.ts';
import type { Forfeit, ForfeitNeeds } from './forfeits.ts';
import type { Intent } from './intent.ts';
import type { Psbt } from './psbt.ts';

export interface Round {
  readonly id: string;
  readonly startedAt: number;
  intents: readonly Intent[];
  stage: 'confirmation' | 'nonces' | 'signatures' | 'forfeits';
  readonly acked: Set<string>;
  sessions: readonly NodeSession[];
  needs: ForfeitNeeds;
  readonly forfeits: Map<string, Forfeit>;
  /** What the owners of coins that go on board have signed, by coin. */
  readonly boarded: Map<string, Psbt>;
  commitment: Commitment | null;
  failure: string | null;
  /** The operator stops: nothing is waited for any more. */
  stopped: boolean;
  /** Looks again whether the stage is over. */
  poke(): void;
}

/** A round that ended badly, with the reason that everybody is told. */
export class RoundFailed extends Error {}

export function newRound(intents: readonly Intent[], startedAt: number): Round {
  return {
    id: randomUUID(),
    startedAt,
    intents,
    stage: 'confirmation',
    acked: new Set(),
    sessions: [],
    needs: { coins: new Map(), connectors: new Map() },
    forfeits: new Map(),
    boarded: new Map(),
    commitment: null,
    failure: null,
    stopped: false,
    poke: () => undefined,
  };
}

/** Waits until `over` holds or the time is up; says whether it holds. */
export function stage(round: Round, name: Round['stage'], ms: number, over: () => boolean): Promise<boolean> {
  round.stage = name;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(limit);
      round.poke = () => undefined;
      resolve(over());
    };
    const limit = setTimeout(end, ms);
    round.poke = () => (over() || round.failure !== null || round.stopped ? end() : undefined);
    round.poke();
  });
}

/** What the round cannot go on after. */
export function refuseBroken({ stopped, failure }: Round): void {
  if (stopped) throw new RoundFailed('stopped');
  if (failure !== null) throw new RoundFailed(failure);
}
