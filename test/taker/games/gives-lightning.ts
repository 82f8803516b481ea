import type { Given, Ground } from './ground.ts';

/** A payer whose payment its provider holds, settles with the secret, or lets go. */
export function givesOverLightning({ roll, secret }: Ground): Given {
  let state = 'none' as 'none' | 'held' | 'settled' | 'back';
  return {
    acts: [
      () => void (state = state === 'none' ? 'held' : state),
      () => {
        if (state === 'held' && roll(6) === 0 && !secret.isOut()) state = 'back';
      },
    ],
    look: () => undefined,
    run: () => false,
    take() {
      if (secret.isOut() && state === 'held') state = 'settled';
    },
    isComingBack: () => false,
    // What was given back is given back by its provider alone, whose loss the claim is.
    end: () => (state === 'settled' ? 'theirs' : 'nowhere'),
  };
}
