import { createDispatch } from '../../../engine/api/dispatch.ts';
import { listen, type ApiServer } from '../../../engine/api/server.ts';
import type { Lives } from './lives.ts';

const log = { error: () => undefined };

/** One address for all lives of a node. Whoever is asking when it dies hears nothing of what that life still says. */
export async function serveLives(lives: Pick<Lives, 'now'>): Promise<ApiServer> {
  const service = () => lives.now()?.service ?? null;
  const dispatch = createDispatch({ service, openapi: null, log });
  return listen({
    async dispatch(...call) {
      const life = lives.now();
      const answer = await dispatch(...call);
      return life !== null && life === lives.now()
        ? answer
        : { ...answer, status: 503, body: { error: 'The node died.' } };
    },
    service,
    ownerToken: 'f'.repeat(64),
    port: 0,
    log,
    ipv6: false,
  });
}
