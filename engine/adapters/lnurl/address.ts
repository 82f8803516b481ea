import { bech32 } from '@scure/base';
import { type Refusal, refuse } from '../../domain/errors.ts';
import type { PayTarget } from '../../quote/ports.ts';
import { isLoopback } from './private.ts';

/** LUD-16: the part before the sign, and a domain with an optional port. */
const addressText = /^([a-z0-9\-_.+]{1,64})@([a-z0-9.-]{1,253}|\[[0-9a-f:]+\])(:\d{1,5})?$/;
const longestLnurl = 2_000;

/** The address to ask for payment details; not yet judged by `fetchJson`. */
export function urlOf(target: PayTarget): URL | Refusal {
  return 'lnurl' in target ? lnurlUrl(target.lnurl) : addressUrl(target.lightning_address);
}

function addressUrl(given: string): URL | Refusal {
  const parts = addressText.exec(given.trim().toLowerCase());
  const [, user, domain, port = ''] = parts ?? [];
  if (user === undefined || domain === undefined) {
    return refuse(
      'invalid',
      'lightning_address must have the form user@domain. Check it for spaces and typing errors.',
    );
  }
  const scheme = domain.endsWith('.onion') || isLoopback(domain) ? 'http' : 'https';
  return (
    parse(`${scheme}://${domain}${port}/.well-known/lnurlp/${encodeURIComponent(user)}`) ??
    refuse('invalid', 'The domain of lightning_address is not valid. Check it for typing errors.')
  );
}

/** LUD-01 (bech32) and LUD-17 (`lnurlp://`). */
function lnurlUrl(given: string): URL | Refusal {
  const text = given.trim().replace(/^lightning:/i, '');
  if (text.length > longestLnurl)
    return refuse('invalid', `lnurl has ${text.length} characters; at most ${longestLnurl} are allowed.`);
  const url = text.toLowerCase().startsWith('lnurlp://') ? scheme17(text) : decoded(text);
  return (
    url ??
    refuse(
      'invalid',
      'lnurl cannot be read: it is neither a bech32 text that begins with lnurl1 nor an lnurlp:// address. Copy ' +
        'it again.',
    )
  );
}

function scheme17(text: string): URL | null {
  const plain = parse(`https://${text.slice('lnurlp://'.length)}`);
  if (plain === null) return null;
  return plain.hostname.endsWith('.onion') || isLoopback(plain.hostname)
    ? parse(`http://${text.slice('lnurlp://'.length)}`)
    : plain;
}

function decoded(text: string): URL | null {
  const lnurl = bech32.decodeUnsafe(text, longestLnurl);
  if (lnurl === undefined || lnurl.prefix !== 'lnurl') return null;
  const bytes = bech32.fromWordsUnsafe(lnurl.words);
  return bytes === undefined ? null : parse(new TextDecoder().decode(bytes));
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
