import { useCallback, useEffect, useState } from 'react';
import { client } from '../../stores/records.ts';
import { troubleText } from '../../stores/trouble.ts';
import type { Tree } from './form.ts';

export interface SettingsInForce {
  /** Null until they were read. */
  readonly settings: Tree | null;
  readonly trouble: string | null;
  /** Sends one group's changes; rejects with the sentence of the node. */
  change(patch: Tree): Promise<void>;
}

export function useSettings(): SettingsInForce {
  const [settings, setSettings] = useState<Tree | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    client()
      .call('ownerSettings')
      .then((reply) => setSettings(reply.settings))
      .catch((error: unknown) => setTrouble(troubleText(error)));
  }, []);
  const change = useCallback(async (patch: Tree) => {
    const reply = await client().call('changeSettings', { body: patch as never });
    setSettings(reply.settings);
  }, []);
  return { settings, trouble, change };
}
