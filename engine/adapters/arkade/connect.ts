import { maybeArkError, ProviderUnavailableError, RestArkProvider, RestIndexerProvider } from '@arkade-os/sdk';
import { EventSource } from 'eventsource';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { createArkade } from './arkade.ts';
import type { ArkadeOptions, OperatorProvider, SignedText } from './operator.ts';

/** The SDK reads server-sent events through a global that Node does not have. */
export function provideEventSource(): void {
  if (!('EventSource' in globalThis))
    Object.defineProperty(globalThis, 'EventSource', { value: EventSource, configurable: true, writable: true });
}

/** The port to an operator at a URL. */
export function connectArkade(url: string, options: Omit<ArkadeOptions, 'ark' | 'indexer'>): ArkadePort {
  provideEventSource();
  const base = url.replace(/\/+$/, '');
  return createArkade({ ...options, ark: operatorProvider(base), indexer: new RestIndexerProvider(base) });
}

/** Milliseconds for an answer that is asked for ten times a second while it matters. */
const intentsPatience = 5_000;

/** The SDK's provider at a URL, which reads queued intents as well. */
function operatorProvider(base: string): OperatorProvider {
  const provider = new RestArkProvider(base);
  // As its own requests go out: with the digest of the operator's settings, which an operator may demand.
  const { authedFetch } = provider as unknown as { authedFetch(url: string, init: RequestInit): Promise<Response> };
  return Object.assign(provider, {
    async getIntents(intent: SignedText): Promise<SignedText[]> {
      const reply = await authedFetch.call(provider, `${base}/v1/intent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ intent }),
        redirect: 'error',
        signal: AbortSignal.timeout(intentsPatience),
      });
      const body = await reply.text();
      if (!reply.ok)
        throw maybeArkError(new Error(body)) ?? new ProviderUnavailableError(`arkade unavailable: ${reply.status}`);
      const { intents } = JSON.parse(body) as { intents?: unknown };
      if (!Array.isArray(intents)) throw new Error('the list of intents is none');
      return intents.filter(
        (one): one is SignedText =>
          typeof one === 'object' && one !== null && typeof (one as SignedText).proof === 'string',
      );
    },
  });
}
