/** Everything the page may do in the desktop: ask the engine, listen to it, know which machine it is on. */
export interface SluiceApi {
  readonly host: { readonly platform: string; readonly version: string };
  /** Calls a route of the contract by its name. A refusal rejects with its sentence. */
  call(route: string, args: unknown): Promise<unknown>;
  /** Events of the owner, as `/owner/events` sends them; returns how to stop listening. */
  on(listener: (event: unknown) => void): () => void;
}

/** What a call answers over the bridge: an exception would lose its sentence on the way. */
export type BridgeAnswer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly status: number; readonly sentence: string };

export const callChannel = 'sluice:call';
export const eventChannel = 'sluice:event';
