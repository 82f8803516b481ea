import type { SluiceApi } from '../../preload/api.ts';
import { Refused, type Transport } from './call.ts';

declare global {
  interface Window {
    /** There in the desktop only. */
    readonly sluice?: SluiceApi;
  }
}

/** The engine in the same program; nobody is asked for a token. */
export function ipcTransport(api: SluiceApi): Transport {
  return {
    async call(route, args = {}) {
      try {
        return await api.call(route, args);
      } catch (error) {
        throw new Refused(0, (error as Error).message);
      }
    },
    listen: (heard) => api.on(heard),
  };
}
