import { isRefusal, refuse, type Refusal } from '../domain/errors.ts';
import type { Ledger, LedgerQuery } from '../contract/owner/ledger.ts';
import { expositionType } from '../contract/exposition.ts';
import type { NodeStatus, Proof, Readiness } from '../contract/records/node.ts';
import { target } from '../contract/client.ts';
import type { ProofRequest } from '../contract/requests/proof.ts';
import {
  moreOf,
  parseRequest,
  routes,
  type Parsed,
  type RawArgs,
  type RouteName,
  type SandboxRouteName,
} from '../contract/routes.ts';
import { answer, crashed, failed, settled, tooMany, unserved, type Answered, type ApiLog } from './answers.ts';
import { ledgerCsv } from './csv.ts';
import { createHandlers } from './handlers/create.ts';
import { evmHandlers } from './handlers/evm.ts';
import { isSwapId, unknownSwap, type Call, type Handlers } from './handlers/handler.ts';
import { ownerHandlers } from './handlers/owner.ts';
import { readHandlers } from './handlers/read.ts';
import { refundHandlers } from './handlers/refund.ts';
import type { SandboxProxy, Service } from './service.ts';

type Served = Exclude<RouteName, SandboxRouteName | 'openapi' | 'proof'>;

const handlers: Handlers<Served> = {
  ...createHandlers,
  ...readHandlers,
  ...refundHandlers,
  ...evmHandlers,
  ...ownerHandlers,
};

export interface DispatchOptions {
  /** The engine, or null while there is none: starting, stopping, or being reset. */
  service(): Service | null;
  readonly openapi: unknown;
  readonly log: ApiLog;
}

export interface Caller {
  readonly developerKey?: string | null;
  readonly signal?: AbortSignal;
  /** Whose requests are counted together, as an address; null for whoever is not counted. */
  readonly client?: string | null;
  /** Takes units from the caller's allowance; answers the seconds to wait, or 0. */
  readonly charge?: (units: number) => number;
  /** The proof of the owner's token; null for an origin that is none of this node's. */
  readonly prove?: (request: ProofRequest) => string | null;
}

/** Runs an operation by name. Whoever calls it has settled already that the caller may: the desktop, or the server. */
export type Dispatch = (name: RouteName, raw: RawArgs, caller?: Caller) => Promise<Answered>;

const never = new AbortController().signal;

export function createDispatch(options: DispatchOptions): Dispatch {
  return async (name, raw, caller = {}) => {
    try {
      return await run(options, name, raw, caller);
    } catch (cause) {
      return crashed(cause, name, options.log);
    }
  };
}

async function run(options: DispatchOptions, name: RouteName, raw: RawArgs, caller: Caller): Promise<Answered> {
  const { unknownSwap, access } = routes[name];
  if (name === 'openapi') return answer(options.openapi);
  if (name === 'health') return answer('ok');
  if (name === 'live') return answer({ live: true });
  if (name === 'proof') return proofOf(raw, caller);
  const service = options.service();
  if (service === null) return unserved(name, 'The node is starting or stopping: try again in a moment.');
  const request = parseRequest(name, raw, (params) => standingOf(service, name, params, 'something'));
  // A request that says nothing usable is judged by the state of its swap too, before its own faults.
  if (isRefusal(request)) return settled(standingOf(service, name, raw.params, 'nothing') ?? request, unknownSwap);
  const wait = caller.charge?.(moreOf(name, request)) ?? 0;
  if (wait > 0) return tooMany(wait);
  if (access === 'sandbox') return handOn(service.sandbox, name as SandboxRouteName, raw);
  const call = {
    service,
    request,
    developerKey: caller.developerKey ?? null,
    client: caller.client ?? null,
    signal: caller.signal ?? never,
  };
  const handler = handlers[name as Served] as (call: Call<never>) => unknown;
  return shaped(name, request, await handler(call as never), unknownSwap);
}

/** While the node starts too: whoever waits for it has to know whom it waits for. */
function proofOf(raw: RawArgs, { prove }: Caller): Answered {
  const request = parseRequest('proof', raw);
  if (isRefusal(request)) return settled(request, 404);
  const proof = prove?.(request.query) ?? null;
  return proof === null
    ? failed(403, 'origin is not an address of this node: send one by which its owner calls it.')
    : answer({ proof } satisfies Proof);
}

/**
 * What the id and the state of its swap say against a request (DECISIONS.md, "Limits count cost": id, state, then
 * shape). `naming`: whether the request may still name coins that the answer depends on.
 */
function standingOf(
  service: Service,
  name: RouteName,
  params: unknown,
  naming: 'something' | 'nothing',
): Refusal | null {
  const { judged } = routes[name];
  if (judged === null) return null;
  const { id } = params as { readonly id: unknown };
  if (typeof id !== 'string') return null;
  return isSwapId(id) ? service.standing(judged, id, naming) : unknownSwap(id);
}

/** The replies that are not plainly 200 and JSON. */
function shaped(name: RouteName, request: Parsed<RouteName>, value: unknown, unknownSwap: 400 | 404): Answered {
  if (isRefusal(value)) return settled(value, unknownSwap);
  if (name === 'status' && !(value as NodeStatus).healthy) return { status: 503, body: value };
  if (name === 'ready' && !(value as Readiness).ready) return { status: 503, body: value };
  if (name === 'metrics') return { status: 200, body: value, type: expositionType };
  const format = name === 'ownerLedger' ? (request.query as unknown as LedgerQuery).format : 'json';
  if (format !== 'json') {
    const ledger = value as Ledger;
    return {
      status: 200,
      body: ledgerCsv(ledger, format),
      type: 'text/csv; charset=utf-8',
      headers: {
        'content-disposition': `attachment; filename="${format === 'csv' ? 'ledger' : 'books'}.csv"`,
        ...(ledger.next_cursor === null ? {} : { 'x-next-cursor': ledger.next_cursor }),
      },
    };
  }
  return answer(value);
}

/** The networks of the sandbox live in another process; what they answer is their own wire already. */
async function handOn(sandbox: SandboxProxy | null, name: SandboxRouteName, raw: RawArgs): Promise<Answered> {
  const { method } = routes[name];
  if (sandbox === null)
    return settled(refuse('not-found', 'This node works on real networks: there are no sandbox controls.'), 404);
  return sandbox.call(method as 'GET' | 'POST', target(name, raw as never), method === 'GET' ? null : (raw.body ?? {}));
}
