import { patientFetch, quickFetch } from './adapters/provider/fetch.ts';
import { createDispatch } from './api/dispatch.ts';
import type { Service } from './api/service.ts';
import { createClient, httpTransport, localTransport } from './contract/client.ts';
import type { Log } from './runtime/log.ts';
import type { Providers } from './taker/port.ts';
import { createProvider } from './taker/provider.ts';

/**
 * Where the owner's own swaps are made. With this very node they take the way of every other client, without the
 * network in between, once it has a service.
 */
export function createProviders({ userXpub, log }: { readonly userXpub: string; readonly log: Log }) {
  let own: Service | null = null;
  const ownNode = localTransport(createDispatch({ service: () => own, openapi: null, log }));
  const reach: Providers = (url) =>
    url === ''
      ? createProvider(createClient(ownNode), userXpub)
      : createProvider(
          createClient(httpTransport(url, patientFetch)),
          userXpub,
          createClient(httpTransport(url, quickFetch)),
        );
  return {
    reach,
    serve(service: Service): void {
      own = service;
    },
  };
}
