import { words } from '../words/words.ts';
import { momentText } from './moment.ts';
import { networkName } from './networks.ts';

/** What programs say to programs when a line breaks, as far as it is anywhere in a sentence. */
const broken =
  /(connect |read |write |getaddrinfo )?\b(ECONN[A-Z]+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_[A-Z_]+)\b( [\w.:[\]-]+)?|socket hang up|fetch failed|network socket disconnected[^.;)]*/gi;
/** Seconds since 1970, of this century so far. */
const unixTime = /(?<![\w,.])1[6-9]\d{8}(?!\w|[,.]\d)/g;
const chain = /\bevm:\d+\b/g;
const fieldName = /\b[a-z]+(_[a-z]+)+\b/g;

/**
 * A sentence of the node as people read it: its times as dates, its chains by their names, names of fields as words,
 * and no error of a socket.
 */
export function plainText(sentence: string): string {
  return sentence
    .replaceAll(broken, words.parts.noConnection)
    .replaceAll(unixTime, (seconds) => momentText(Number(seconds)))
    .replaceAll(chain, networkName)
    .replaceAll(fieldName, (name) => name.replaceAll('_', ' '));
}
