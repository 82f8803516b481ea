import { ipcTransport, type Answered } from '../../engine/contract/client.ts';
import type { SluiceApi } from '../../preload/api.ts';
import { connectionOver, type Connection } from './connection.ts';

declare global {
  interface Window {
    /** There in the desktop only. */
    readonly sluice?: SluiceApi;
  }
}

/** The engine in the same program; nobody is asked for a token, and its events never stop. */
export function desktopConnection(api: SluiceApi): Connection {
  const taker = async (name: string, body?: object) => (await api.call(name, body === undefined ? {} : { body })) as Answered;
  return connectionOver(ipcTransport((name, args) => api.call(name, args)), taker, (heard) => api.on(heard));
}
