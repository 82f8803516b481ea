import { toHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import type { ArkadeWatch } from '../../../legs/arkade/watch.ts';
import type { Watching } from '../watching.ts';
import { createVhtlcWatch } from './watch.ts';

/** Each swap's VHTLC, and the queue over coins at it, by one watch for all of them. */
export const arkadeWatching: Watching<ArkadeWatch> = {
  keyOf: (watch) =>
    watch.on === 'vhtlc'
      ? `vhtlc ${toHex(watch.script)}`
      : ['queue', toHex(watch.script), watch.always, ...watch.coins.map(outpointKey)].join(' '),
  open({ ports: { arkade, bitcoin }, ...options }) {
    if (arkade === null) return null;
    const watch = createVhtlcWatch({ ...options, arkade, bitcoin });
    return {
      add(swapId, one) {
        if (one.on === 'vhtlc') watch.add(swapId, one.terms, one.script);
        else watch.prove(one);
      },
      remove(swapId, one) {
        if (one.on === 'vhtlc') watch.remove(swapId, one.script);
        else watch.unprove(one.script);
      },
      start: () => watch.start(),
      stop: () => watch.stop(),
    };
  },
};
