import { useEffect, useState } from 'react';
import type { SetupState } from '../../preload/setup.ts';

/** Where the keys of this computer stand; null in a browser, which is never shown them, and until it is known. */
export function useSetup(): SetupState | null {
  const [state, setState] = useState<SetupState | null>(null);
  useEffect(() => {
    const setup = window.sluice?.setup;
    if (setup === undefined) return undefined;
    let listening = true;
    void setup.state().then((first) => (listening ? setState((later) => later ?? first) : undefined));
    const stop = setup.onState(setState);
    return () => {
      listening = false;
      stop();
    };
  }, []);
  return state;
}
