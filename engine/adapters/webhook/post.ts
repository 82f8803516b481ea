import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Forbidden, judge, lookupFor, type FetchRules } from '../lnurl/guard.ts';
import { outgoingAgent } from '../socks/outgoing.ts';

/** What became of one call: it was taken, it may be another time, or no other try will do. */
export type Posted = 'taken' | 'later' | 'never';

/**
 * JSON to an address that a stranger chose, over TLS alone. It is judged as all such addresses are; a redirect is not
 * followed, and of the answer nothing is read but its status.
 */
export async function postToStranger(url: URL, json: string, rules: FetchRules): Promise<Posted> {
  try {
    judge(url, rules);
    if (url.protocol !== 'https:' && !rules.mayAsk(url.origin)) throw new Forbidden('the address is not https');
    return judgeStatus(await post(url, json, rules));
  } catch (cause) {
    return cause instanceof Forbidden ? 'never' : 'later';
  }
}

function judgeStatus(status: number): Posted {
  if (status >= 200 && status < 300) return 'taken';
  return status >= 500 || status === 408 || status === 429 ? 'later' : 'never';
}

function post(url: URL, json: string, rules: FetchRules): Promise<number> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = send(
      url,
      {
        method: 'POST',
        lookup: lookupFor(url, rules),
        signal: rules.signal,
        agent: outgoingAgent(url) ?? false,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) },
      },
      (reply) => {
        resolve(reply.statusCode ?? 0);
        reply.destroy();
      },
    );
    sent.on('error', reject);
    sent.end(json);
  });
}
