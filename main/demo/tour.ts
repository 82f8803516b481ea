import type { ClientSide } from '../../engine/index.ts';
import type { DemoNode } from './node.ts';

export interface Tour {
  readonly node: DemoNode;
  readonly client: ClientSide;
  readonly say: (line: string) => void;
}

/** One swap of a direction from its creation to `serverredeemed`. */
export interface Stop {
  readonly name: string;
  run(tour: Tour): Promise<void>;
}

export const patienceMs = 90_000;
export const amount = 25_000;
