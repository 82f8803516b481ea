import { type Got, type Ground } from './ground.ts';

/** A provider that pays an invoice when it likes, and has the secret for that. */
export function getsOverLightning({ roll, secret, fail }: Ground): Got {
  let isPaid = false;
  return {
    acts: [
      () => {
        if (roll(12) !== 0) return;
        isPaid = true;
        secret.learned();
      },
    ],
    look: () => undefined,
    run: () => false,
    judge: () => fail('the secret of a payee is not ours to show'),
    takeBack: () => undefined,
    isBack: () => false,
    isOurs: () => isPaid,
  };
}
