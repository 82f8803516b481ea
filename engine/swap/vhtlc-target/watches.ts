import type { Watch } from '../machine.ts';
import type { Lock, TargetTerms } from './terms.ts';

/** The coins at our VHTLC. */
export function lockWatch({ vhtlc, script }: TargetTerms): Watch {
  return { on: 'vhtlc', terms: vhtlc, script };
}

/** The client may claim through a batch: of an expired coin that shows in the queue alone, and our refund would push it aside. */
export function queueWatch(
  { script, keyIndex }: TargetTerms,
  { at, lock }: Lock & { at: 'locked' | 'refunding' },
): Watch {
  return { on: 'queue', script, key: { branch: 'swap', index: keyIndex }, always: at === 'refunding', coins: [lock] };
}
