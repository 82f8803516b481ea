import { failed, tooMany, type Answered } from '../api/answers.ts';
import type { Door, DoorCall } from '../api/door.ts';
import type { Service } from '../api/service.ts';
import { costs } from '../contract/routes/route.ts';
import { isRefusal } from '../domain/errors.ts';
import type { Preimage } from '../domain/hash.ts';
import { createLatest } from '../domain/latest.ts';
import type { ServiceContext } from '../service/context.ts';
import type { DoorContext } from './context.ts';
import { createPostbox, type Post } from './postbox.ts';
import { createRaws } from './raws.ts';
import { answerRefusal } from './refused.ts';
import { operationAt } from './routes.ts';
import { createSocketSide } from './socket.ts';
import { createTellings } from './tellings.ts';
import { createWaiting } from './waiting.ts';
import { tellWebhooks } from './webhooks.ts';

/** Clients that show a secret ask for the signature within seconds, and show it again where it is forgotten. */
const mostSecrets = 1_000;

/** Swaps of which our claim is in no block yet, mostly. */
const mostRead = 10_000;

/** The door, and what ends what it still has to tell. */
interface BoltzDoor extends Door {
  stop(): void;
}

/**
 * The Boltz interface (facts/boltz.md), for wallets that speak it: what they ask is translated to what the node does
 * for its own clients, and the machines of the swaps know nothing of it. Ids, statuses and prices are its own.
 */
export function createBoltzDoor(context: ServiceContext, service: Pick<Service, 'create'>, post: Post): BoltzDoor {
  const door: DoorContext = {
    ...{ context, service, tellings: createTellings(), raws: createRaws(context.runtime), waiting: createWaiting() },
    secrets: createLatest<string, Preimage>(mostSecrets, Infinity, () => 0),
    readToSign: createLatest<string, true>(mostRead, Infinity, () => 0),
  };
  const sockets = createSocketSide(door);
  const postbox = createPostbox(post);
  const endWebhooks = tellWebhooks(door, postbox);
  return {
    cost: (method, path) => operationAt(method, path)?.operation.cost ?? costs.read,
    answer: (call) => answer(door, call),
    connect: sockets.connect,
    stop() {
      endWebhooks();
      postbox.stop();
    },
  };
}

async function answer(door: DoorContext, call: DoorCall): Promise<Answered> {
  const at = operationAt(call.method, call.path);
  if (at === null) return failed(404, `There is no ${call.method} here at this path.`);
  const { operation, id } = at;
  const wait = call.charge(operation.more?.(call) ?? 0);
  if (wait > 0) return tooMany(wait);
  const reply = await operation.run(door, call, id);
  return isRefusal(reply) ? answerRefusal(reply, operation.wrong) : { status: operation.status ?? 200, body: reply };
}
