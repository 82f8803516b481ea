import type { Tx } from '../tx.ts';
import { fail } from './fault.ts';
import { numberOf } from './values.ts';

const firstTime = 500_000_000;
const finalSequence = 0xffffffff;
const [noLock, inSeconds, lockBits] = [2 ** 31, 0x0040_0000, 0xffff];

/** BIP-65. */
export function checkLockTime(wanted: Uint8Array, { locktime, inputs }: Tx, index: number, minimal: boolean): void {
  const lock = numberOf(wanted, minimal, 5);
  if (lock < 0) fail('NEGATIVE_LOCKTIME');
  const sameKind = lock < firstTime === locktime < firstTime;
  if (!sameKind || lock > locktime || inputs[index]?.sequence === finalSequence) fail('UNSATISFIED_LOCKTIME');
}

/** BIP-112. */
export function checkSequence(wanted: Uint8Array, { version, inputs }: Tx, index: number, minimal: boolean): void {
  const lock = numberOf(wanted, minimal, 5);
  if (lock < 0) fail('NEGATIVE_LOCKTIME');
  if (Math.floor(lock / noLock) % 2 === 1) return;
  const own = inputs[index]?.sequence ?? finalSequence;
  // Versions are unsigned here: a negative one is large.
  if ((version >= 0 && version < 2) || own >= noLock) fail('UNSATISFIED_LOCKTIME');
  const [low, has] = [lock % noLock, own];
  const sameKind = (low & inSeconds) === (has & inSeconds);
  if (!sameKind || (low & lockBits) > (has & lockBits)) fail('UNSATISFIED_LOCKTIME');
}
