import { useEffect, useState } from 'react';
import type { TakerPayee } from '../../../engine/contract/taker.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import type { Destination } from './destination.ts';
import type { LimitBreach } from './limit-breach.ts';

/** What a Lightning address or LNURL takes; both null while it is asked, and where nothing of the kind was pasted. */
export interface PayeeSays {
  readonly range: TakerPayee | null;
  readonly trouble: string | null;
}

const settleMs = 500;
const nothing: PayeeSays = { range: null, trouble: null };

/** A place as the node takes it; null for any other destination. */
export function placeOf(destination: Destination): { lightning_address: string } | { lnurl: string } | null {
  if (destination.is === 'lightningAddress') return { lightning_address: destination.text };
  return destination.is === 'lnurl' ? { lnurl: destination.text } : null;
}

/** The node asks: this page speaks to nobody else. */
export function usePayee(destination: Destination): PayeeSays {
  const place = placeOf(destination);
  const key = place === null ? null : Object.values(place).join();
  const [says, setSays] = useState<PayeeSays & { readonly key: string | null }>({ ...nothing, key: null });
  useEffect(() => {
    if (place === null) return;
    let stale = false;
    const timer = setTimeout(() => {
      client()
        .call('takerPayee', { body: place })
        .then((range) => stale || setSays({ key, range, trouble: null }))
        .catch((error: unknown) => stale || setSays({ key, range: null, trouble: troubleText(error) }));
    }, settleMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
    // The place is what its key says.
  }, [key]);
  return says.key === key ? says : nothing;
}

/** Whether what would arrive, in sats, is out of what the place takes, and the nearest that is not. */
export function payeeBreach({ range }: PayeeSays, arrives: string | null): LimitBreach | null {
  if (range === null || arrives === null) return null;
  const amount = BigInt(arrives);
  if (amount > BigInt(range.max_sats)) return { is: 'most', nearest: String(range.max_sats) };
  return amount < BigInt(range.min_sats) ? { is: 'least', nearest: String(range.min_sats) } : null;
}
