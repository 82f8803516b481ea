import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { textOf } from '../http/text-of.ts';
import { outgoingAgent } from '../socks/outgoing.ts';
import { judge, lookupFor, type FetchRules } from './guard.ts';

/** A picture in the metadata may take 136,536 characters (LUD-06). */
const mostBytes = 300_000;
const mostRedirects = 3;

/**
 * JSON from an address that a stranger chose. Every hop is judged anew, redirects included, and the judged network
 * address is the one that is connected to, so that a name cannot change its meaning in between. Through a proxy it is
 * the proxy that looks names up, in its own network.
 */
export async function fetchJson(first: URL, rules: FetchRules): Promise<unknown> {
  let url = first;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    judge(url, rules);
    const reply = await get(url, rules);
    const status = reply.statusCode ?? 0;
    const { location } = reply.headers;
    if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, url.href)) {
      reply.destroy();
      url = new URL(location, url.href);
      continue;
    }
    // LUD-06 puts errors into the body, and some services answer them with a status of their own.
    const text = await textOf(reply, mostBytes, (sentence) => new Error(sentence));
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new Error(`it answered ${status} without JSON`, { cause });
    }
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

function get(url: URL, rules: FetchRules): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      {
        lookup: lookupFor(url, rules),
        signal: rules.signal,
        agent: outgoingAgent(url) ?? false,
        headers: { accept: 'application/json' },
      },
      resolve,
    );
    sent.on('error', reject);
    sent.end();
  });
}
