import { createClient, ipcTransport } from '../../engine/contract/client.ts';
import type { SluiceApi } from '../../preload/api.ts';
import type { Connection } from './connection.ts';

declare global {
  interface Window {
    /** There in the desktop only. */
    readonly sluice?: SluiceApi;
  }
}

/** The engine in the same program; nobody is asked for a token, and its events never stop. */
export function desktopConnection(api: Pick<SluiceApi, 'call' | 'on'>): Connection {
  return {
    client: createClient(ipcTransport((name, args) => api.call(name, args))),
    listen: (onEvent) => api.on(onEvent),
  };
}
