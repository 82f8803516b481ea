import { useCallback, useEffect, useState } from 'react';
import type { Checklist } from '../../../engine/contract/owner/checklist.ts';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';

/** Every connection is asked each time: often enough to see money arrive, and no more. */
const everyMs = 20_000;

export interface ChecklistNow {
  /** Null until it was read for the first time. */
  readonly checklist: Checklist | null;
  readonly looking: boolean;
  readonly trouble: string | null;
  look(): void;
}

export function useChecklist(): ChecklistNow {
  const [checklist, setChecklist] = useState<Checklist | null>(null);
  const [looking, setLooking] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const look = useCallback(() => {
    setLooking(true);
    client()
      .call('ownerChecklist')
      .then((reply) => {
        setChecklist(reply);
        setTrouble(null);
      })
      .catch((error: unknown) => setTrouble(troubleText(error)))
      .finally(() => setLooking(false));
  }, []);
  useEffect(() => {
    look();
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
  }, [look]);
  return { checklist, looking, trouble, look };
}
