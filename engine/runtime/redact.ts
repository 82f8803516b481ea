import { createHmac, randomBytes } from 'node:crypto';
import { cutWords, mostLooked } from '../domain/words.ts';

/** Replaces what says whose money it is, and whatever could be a key, by marks. */
export type Redact = (text: string) => string;

interface Kind {
  readonly mark: string;
  readonly pattern: RegExp;
  /** Whether what the pattern fits stays as it is. */
  readonly keeps?: (part: string) => boolean;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** `claim-by-the-refund-path-alone`: a name of ours, not base64, of which one in ten thousand keys is letters alone. */
const joinedWords = /^[A-Z]?[a-z]+([-_/][A-Z]?[a-z]+)*$/;
const ownFile = /\.[cm]?[jt]s(:\d+)?$/;
const loopback = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$/;

/** Characters of the longest text that is looked at, a stack: some of the patterns take the square of that. */
export const mostRedacted = 2 * mostLooked;

/** In this order: what comes first is longer and holds what comes later. */
const kinds: readonly Kind[] = [
  { mark: 'url', pattern: /\b[a-z][a-z0-9+.-]{1,12}:\/\/[^\s"'<>]*[^\s"'<>,.;:()]/gi },
  { mark: 'path', pattern: /(?<![\w/])(?:[A-Za-z]:\\|~?\/)(?:[^\s"':,;()<>/\\]+[/\\])+[^\s"':,;()<>]*/g },
  { mark: 'mail', pattern: /[\w.+-]+@[\w.-]+/g },
  { mark: 'bytes', pattern: /\b(?:\d{1,3}\s*,\s*){7,}\d{1,3}\b/g },
  {
    mark: 'host',
    pattern:
      /(?:\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-f:]{2,}\]|\b(?:[a-z0-9-]+\.)+[a-z]{2,24}\b|\blocalhost\b)(?::\d{1,5})?/gi,
    keeps: (part) => loopback.test(part) || ownFile.test(part),
  },
  { mark: 'hex', pattern: /\b(?:0x)?[0-9a-f]{16,}\b/gi, keeps: (part) => /^\d{1,29}$/.test(part) },
  { mark: 'number', pattern: /\b\d{30,}\b/g },
  { mark: 'address', pattern: /\b(?:ln[a-z]{2,5}\d*[munp]?|[a-z]{2,8})1[02-9ac-hj-np-z1]{20,}\b/gi },
  {
    mark: 'key',
    pattern: /(?<![\w+/-])[\w+/-]{26,}={0,2}/g,
    keeps: (part) => uuid.test(part) || joinedWords.test(part),
  },
];

/**
 * The same text becomes the same mark for as long as the node runs, so that a reader sees what belongs together; a mark
 * tells nothing about what it stands for. Ids of swaps stay: their provider finds them by it.
 */
export function createRedact(key: Uint8Array = randomBytes(32)): Redact {
  const markOf = (kind: string, part: string) =>
    `‹${kind} ${createHmac('sha256', key).update(part.toLowerCase()).digest('hex').slice(0, 4)}›`;
  return (text) =>
    kinds.reduce(
      (line, { mark, pattern, keeps }) =>
        line.replaceAll(pattern, (part) => (keeps?.(part) === true ? part : markOf(mark, part))),
      cutWords(text, mostRedacted),
    );
}

/** Facts whose values our code alone gives: `onchain.broadcast` looks like a host, and is none. */
const ownNames: ReadonlySet<string> = new Set(['event', 'effect']);
const ownName = /^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)?$/;

/** A fact of a line, with what is to be hidden in it replaced. */
export function redactFact(name: string, value: string, redact: Redact): string {
  return ownNames.has(name) && ownName.test(value) ? value : redact(value);
}
