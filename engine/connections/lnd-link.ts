import { isTree, type Tree } from '../config/tree.ts';
import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';

const pem = '-----BEGIN CERTIFICATE-----';

/**
 * A patch in which `lnd.link`, an lndconnect: link, is replaced by the socket, certificate and macaroon that it holds
 * (LND's lndconnect, lnd_connect_uri.md). The link is a credential: no sentence repeats any of it.
 */
export function withoutLink(patch: Tree): Tree | Refusal {
  const { lnd } = patch;
  if (!isTree(lnd) || lnd['link'] === undefined) return patch;
  const { link, ...beside } = lnd;
  const parts = typeof link === 'string' ? partsOf(link.trim()) : unreadable;
  if (isRefusal(parts)) return parts;
  const twice = Object.keys(parts).find((name) => beside[name] !== undefined || beside[`${name}File`] !== undefined);
  if (twice !== undefined)
    return refuse('invalid', `lnd.${twice} stands in lnd.link and beside it: give it in one of them.`);
  return { ...patch, lnd: { ...beside, ...parts } };
}

const unreadable = refuse(
  'invalid',
  'lnd.link cannot be read: give the whole lndconnect:// link, with host, port, cert and macaroon.',
);

function partsOf(link: string): Tree | Refusal {
  const url = /^lndconnect:/i.test(link) && URL.canParse(link) ? new URL(link) : null;
  if (url === null || url.hostname === '' || url.port === '') return unreadable;
  const [cert, macaroon] = ['cert', 'macaroon'].map((name) => bytesOf(url.searchParams.get(name)));
  if (cert === null || macaroon === null || macaroon === undefined) return unreadable;
  return {
    socket: `${url.hostname}:${url.port}`,
    ...(cert === undefined ? {} : { cert: certificateOf(cert) }),
    macaroon: macaroon.toString('hex'),
  };
}

/** Undefined where it is left out: a node behind an authority that everybody knows has no certificate in its link. */
function bytesOf(text: string | null): Buffer | null | undefined {
  if (text === null || text === '') return undefined;
  return /^[0-9a-z+/ _-]+={0,2}$/i.test(text) ? Buffer.from(text.replaceAll(' ', '+'), 'base64url') : null;
}

/** The link has the bytes, and lnd's file their text. */
function certificateOf(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (text.startsWith(pem)) return text;
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [pem, ...lines, '-----END CERTIFICATE-----'].join('\n');
}
