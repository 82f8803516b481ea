import type { Client } from '../../engine/contract/client.ts';

/** A node and the right to command it: over HTTP with the owner's token, or over the bridge of the desktop. */
export interface Connection {
  readonly client: Client;
  /** Listens to the owner's events until the answer is called; `down` says that they stopped coming. */
  listen(onEvent: () => void, down: () => void): () => void;
}
