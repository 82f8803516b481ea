import { useEffect, useState } from 'react';
import { client } from '../../stores/records.ts';

/** What the owner's settings allow; null until they were read, and what goes by them is left out meanwhile. */
export function useCeilings(): unknown {
  const [ceilings, setCeilings] = useState<unknown>(null);
  useEffect(() => {
    client()
      .call('ownerSettings')
      .then(({ settings }) => setCeilings(settings['ceilings']))
      .catch(() => undefined);
  }, []);
  return ceilings;
}
