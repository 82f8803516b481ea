import { useEffect } from 'react';
import { create } from 'zustand';
import type { Display } from '../../engine/contract/owner/display.ts';
import { client } from './records.ts';

interface Shown {
  readonly display: Display | null;
  /** When it was asked for last, by this machine's clock; null before. */
  readonly askedAt: number | null;
}

const everyMs = 60_000;
const useShown = create<Shown>()(() => ({ display: null, askedAt: null }));

/** What was read last stays while the node does not answer, and its age is what the node said of it. */
async function look(atLeastMs: number): Promise<void> {
  const { askedAt } = useShown.getState();
  if (askedAt !== null && Date.now() - askedAt < atLeastMs) return;
  useShown.setState({ askedAt: Date.now() });
  try {
    useShown.setState({ display: await client().call('ownerDisplay') });
  } catch {
    return; // The frame of the page says that the node does not answer.
  }
}

/** What the owner set for reading amounts and transactions; null until it was read. */
export function useDisplay(): Display | null {
  useEffect(() => {
    void look(everyMs / 2);
    const timer = setInterval(() => void look(everyMs / 2), everyMs);
    return () => clearInterval(timer);
  }, []);
  return useShown(({ display }) => display);
}

/** After the owner changed it. */
export function lookAtDisplay(): Promise<void> {
  return look(0);
}
