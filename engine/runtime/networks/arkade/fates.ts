import type { Purpose } from '../../../legs/arkade/effects.ts';
import type { Fates } from '../fate.ts';

/** A lock still on its way was claimed by the client and so stands; a claim or refund was overtaken. */
export const arkadeFates: Fates<Purpose> = { lock: 'final', claim: 'dead', refund: 'dead' };
