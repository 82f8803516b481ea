import { useCallback, useEffect, useState } from 'react';
import type { TakerRestore } from '../../../engine/contract/taker-restore.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';

const everyMs = 1_000;

export interface Restoring {
  /** Null until it was read. */
  readonly restore: TakerRestore | null;
  readonly trouble: string | null;
  /** Asks all providers, and this one too where it is named. */
  look(provider: string): Promise<void>;
}

/** How far the search is, read again every second while it runs. */
export function useRestore(): Restoring {
  const [restore, setRestore] = useState<TakerRestore | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const running = restore === null || restore.state === 'running';
  useEffect(() => {
    if (!running) return;
    let wanted = true;
    const read = () => {
      client()
        .call('takerRestore')
        .then((reply) => {
          if (wanted) setRestore(reply);
        })
        .catch((error: unknown) => {
          if (wanted) setTrouble(troubleText(error));
        });
    };
    read();
    const timer = setInterval(read, everyMs);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [running]);
  const look = useCallback(async (provider: string) => {
    setTrouble(null);
    try {
      const body = provider === '' ? {} : { provider_url: provider };
      setRestore(await client().call('restoreTakerSwaps', { body }));
    } catch (error) {
      setTrouble(troubleText(error));
    }
  }, []);
  return { restore, trouble, look };
}
