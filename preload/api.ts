import type { SetupApi } from './setup.ts';

/**
 * Everything the page may do in the desktop: ask the engine, listen to it, know which machine it is on, bring it its
 * keys.
 */
export interface SluiceApi {
  readonly host: { readonly platform: string; readonly electron: string };
  /** Calls a route of the contract by its name; answers `{ status, body }` as HTTP would, 503 while the node is off. */
  call(route: string, args: unknown): Promise<unknown>;
  /** Events of the owner, as `/owner/events` sends them; returns how to stop listening. */
  on(listener: (event: unknown) => void): () => void;
  readonly setup: SetupApi;
}

export const callChannel = 'sluice:call';
export const eventChannel = 'sluice:event';
export const setupChannel = 'sluice:setup';
export const setupStateChannel = 'sluice:setup-state';
