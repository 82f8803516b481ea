import { CallFailed, createClient, type Answered, type Client, type Transport } from '../../engine/contract/client.ts';
import type { NewTakerSwap, TakerSwap } from './taker.ts';

/** A node and the right to command it: over HTTP with the owner's token, or over the bridge of the desktop. */
export interface Connection {
  readonly client: Client;
  readonly taker: {
    swaps(): Promise<{ readonly swaps: readonly TakerSwap[] }>;
    create(swap: NewTakerSwap): Promise<{ readonly id: string }>;
  };
  /** Listens to the owner's events until the answer is called; `down` says that they stopped coming. */
  listen(heard: () => void, down: () => void): () => void;
}

export type TakerCall = 'takerSwaps' | 'createTakerSwap';

export function connectionOver(transport: Transport, taker: (name: TakerCall, body?: object) => Promise<Answered>, listen: Connection['listen']): Connection {
  return {
    client: createClient(transport),
    taker: {
      swaps: async () => answerOf(await taker('takerSwaps')) as { swaps: TakerSwap[] },
      create: async (swap) => answerOf(await taker('createTakerSwap', swap)) as { id: string },
    },
    listen,
  };
}

function answerOf({ status, body }: Answered): unknown {
  if (status === 200) return body;
  const sentence = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : `The node answered with status ${status}.`;
  throw new CallFailed(status, sentence);
}
