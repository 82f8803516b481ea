import type { Seconds, Unix } from '../../domain/time.ts';
import type { EvmTip } from '../../legs/evm/port.ts';
import type { Block } from './read.ts';
import type { Answered } from './sources.ts';
import type { Source } from './source.ts';

/** What the RPCs of a chain say together of where it is: as `EvmHeads`, with the RPCs behind it. */
export interface Heads {
  readonly tip: EvmTip;
  readonly agreed: boolean;
  readonly sure: { readonly time: Unix; readonly ago: number };
  readonly answers: readonly (Answered<Block> & { readonly counts: boolean })[];
}

export interface Tips {
  heads(): Promise<Heads>;
  /** The latest block of one RPC as it named it last; it is asked again where that is below a height. */
  of(source: Source, height: number): Promise<Block>;
  disagreement(): string | null;
}

/** A block up to which enough RPCs had come, and when. */
export interface AgreedBefore {
  readonly height: number;
  readonly time: Unix;
}

export interface TipRules {
  /** Unix seconds. */
  readonly wall: () => number;
  /** Age of its last block at which an RPC stands still; null where blocks come on request, and at no rate. */
  readonly maxTipAge: () => Seconds | null;
  /** What was agreed on before this process began; null for nothing. */
  readonly agreedBefore: () => AgreedBefore | null;
}
