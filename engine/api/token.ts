import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a given token with the owner's in time that says nothing about either. */
export function createTokenCheck(token: string): (given: string | undefined) => boolean {
  if (token.length < 16) throw new Error('the owner token is too short to protect anything');
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const own = digest(token);
  return (given) => given !== undefined && timingSafeEqual(digest(given), own);
}

/** The token of an `Authorization: Bearer` header. */
export function bearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +(\S+)$/i.exec(header)?.[1];
}
