import { RestArkProvider, RestIndexerProvider } from '@arkade-os/sdk';
import { EventSource } from 'eventsource';
import type { ArkadePort } from '../../legs/vhtlc/port.ts';
import { createArkade } from './arkade.ts';
import type { ArkadeOptions } from './operator.ts';

/** The port to an operator at a URL. The SDK reads server-sent events through a global that Node does not have. */
export function connectArkade(url: string, options: Omit<ArkadeOptions, 'ark' | 'indexer'>): ArkadePort {
  if (!('EventSource' in globalThis)) Object.defineProperty(globalThis, 'EventSource', { value: EventSource, configurable: true, writable: true });
  const base = url.replace(/\/+$/, '');
  return createArkade({ ...options, ark: new RestArkProvider(base), indexer: new RestIndexerProvider(base) });
}
