import { useCallback, useState } from 'react';
import { useRecords } from './records.ts';
import { troubleText } from './trouble.ts';

/** What came of the last act of a section. */
export interface Acting {
  /** Which act is under way; null for none. */
  readonly busy: string | null;
  readonly outcome: { readonly went: 'well' | 'wrong'; readonly sentence: string } | null;
  /** Does `work`, which answers what to say when it went well, and has the node looked at again. */
  run(name: string, work: () => Promise<string>): Promise<boolean>;
}

/** One act at a time, and a sentence on what came of it. */
export function useActing(): Acting {
  const [busy, setBusy] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Acting['outcome']>(null);
  const run = useCallback(async (name: string, work: () => Promise<string>) => {
    setBusy(name);
    setOutcome(null);
    try {
      setOutcome({ went: 'well', sentence: await work() });
      return true;
    } catch (error) {
      setOutcome({ went: 'wrong', sentence: troubleText(error) });
      return false;
    } finally {
      setBusy(null);
      void useRecords.getState().look();
    }
  }, []);
  return { busy, outcome, run };
}
