/** Everything the page may do in the desktop: ask the engine, listen to it, know which machine it is on. */
export interface SluiceApi {
  readonly host: { readonly platform: string; readonly electron: string };
  /** Calls a route of the contract by its name; answers `{ status, body }` as HTTP would. */
  call(route: string, args: unknown): Promise<unknown>;
  /** Events of the owner, as `/owner/events` sends them; returns how to stop listening. */
  on(listener: (event: unknown) => void): () => void;
}

export const callChannel = 'sluice:call';
export const eventChannel = 'sluice:event';
