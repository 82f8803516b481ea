import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import { toHex } from '../../domain/hex.ts';
import type { LightningWorld } from '../world/lightning/lightning.ts';
import { type Call, type HttpServer, type Reply, serveHttp } from './http.ts';

/** The outside wallet as LNURL-pay (LUD-06) and as a Lightning address (LUD-16). */
export interface LnurlServer extends HttpServer {
  readonly lnurl: string;
  readonly lightningAddress: string;
}

const user = 'outside';
const place = `/.well-known/lnurlp/${user}`;
const payPlace = '/pay';
/** Millisatoshis that it takes at once. */
const least = 1_000n;
const most = 100_000_000_000n;

export async function serveLnurl(world: LightningWorld, port: number): Promise<LnurlServer> {
  const server = await serveHttp(
    port,
    (call) => answer(call),
    (sentence) => refusal(sentence),
  );
  const host = `127.0.0.1:${server.port}`;
  const metadata = JSON.stringify([
    ['text/plain', 'The outside wallet of the sandbox'],
    ['text/identifier', `${user}@${host}`],
  ]);

  function answer({ method, path, query }: Call): Reply {
    if (method !== 'GET') return { status: 405, body: refusal('only GET is served here') };
    if (path === place)
      return ok({
        tag: 'payRequest',
        callback: `http://${host}${payPlace}`,
        minSendable: Number(least),
        maxSendable: Number(most),
        metadata,
      });
    if (path === payPlace) return ok(invoiceOver(query.get('amount') ?? ''));
    return {
      status: 404,
      body: refusal(path.startsWith('/.well-known/lnurlp/') ? 'nobody of this name is here' : 'there is nothing here'),
    };
  }

  /** The invoice commits to what was shown: its description hash is that of the metadata (LUD-06). */
  function invoiceOver(text: string): object {
    const amountMsat = /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : 0n;
    if (amountMsat < least || amountMsat > most) return refusal(`amount must be ${least} to ${most} millisatoshis`);
    const descriptionHash = toHex(sha256(new TextEncoder().encode(metadata)));
    const { bolt11 } = world.addInvoice('outside', { hold: false, amountMsat, descriptionHash });
    return { pr: bolt11, routes: [] };
  }

  return {
    ...server,
    lnurl: bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(`http://${host}${place}`)), false),
    lightningAddress: `${user}@${host}`,
  };
}

function ok(body: object): Reply {
  return { status: 200, body };
}

function refusal(reason: string): object {
  return { status: 'ERROR', reason };
}
