import { randomInt } from 'node:crypto';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const length = 12;

/** How a client calls its swap: all that it shows for it, so nobody guesses one. */
export function newId(): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}

/** What the owner's list and the log know a swap of this door by, beside its own id. */
export function userIdOf(id: string): string {
  return `boltz:${id}`;
}

export function isId(text: string): boolean {
  return /^[A-Za-z0-9]{12}$/.test(text);
}
