import { useState } from 'react';
import type { SetupAnswer, SetupWhy } from '../../../preload/setup.ts';
import { words } from '../../words/words.ts';
import { refusalText } from './refusal.ts';

/** An act of the first run: busy meanwhile, and what was refused as a sentence. */
export function useStep() {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [why, setWhy] = useState<SetupWhy | null>(null);
  /** The answer when it was done, null when it was refused. */
  async function take<T extends object>(answer: Promise<SetupAnswer<T>>): Promise<({ done: true } & T) | null> {
    setBusy(true);
    setTrouble(null);
    setWhy(null);
    try {
      const came = await answer;
      if (came.done) return came;
      setTrouble(refusalText(came));
      setWhy(came.why);
    } catch {
      setTrouble(words.parts.notAnswering);
    } finally {
      setBusy(false);
    }
    return null;
  }
  return { busy, trouble, why, take };
}
