import { patientFetch, quickFetch } from './adapters/provider/fetch.ts';
import { createDispatch } from './api/dispatch.ts';
import type { Service } from './api/service.ts';
import { createClient, httpTransport, localTransport } from './contract/client.ts';
import type { Log } from './runtime/log.ts';
import type { Providers } from './taker/port.ts';
import { createProvider } from './taker/provider.ts';

/**
 * Where the owner's own swaps are made. With this very node they take the way of every other client, without the
 * network in between.
 */
export function providersOf(options: {
  readonly own: () => Service;
  readonly userXpub: string;
  readonly log: Log;
}): Providers {
  const { own, userXpub, log } = options;
  const ownNode = localTransport(createDispatch({ service: own, openapi: null, log }));
  return (url) =>
    url === ''
      ? createProvider(createClient(ownNode), userXpub)
      : createProvider(
          createClient(httpTransport(url, patientFetch)),
          userXpub,
          createClient(httpTransport(url, quickFetch)),
        );
}
