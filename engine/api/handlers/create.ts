import type { DirectionName } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import type { Records } from '../../contract/records/swap.ts';
import type { Creates } from '../../contract/requests/creates.ts';
import type { ClientKey } from '../../contract/scalars.ts';
import { refuseOffCurve } from '../curve.ts';
import type { Service } from '../service.ts';
import { refuseExtraFees, type Handlers } from './handler.ts';

type Direction<D extends DirectionName> = {
  /** The client's keys, by the name of their field. */
  keys(request: Creates[D]): Readonly<Record<string, ClientKey>>;
  /** Text by which published clients know a 409 (facts/clients.md 5). */
  readonly used: string;
};

const hashUsed = 'a swap with this preimage hash exists already';
const invoiceUsed = 'a swap with this invoice exists already';

const directions: { readonly [D in DirectionName]: Direction<D> } = {
  'arkade-evm': { keys: (request) => ({ refund_pk: request.refundKey }), used: hashUsed },
  'evm-lightning': { keys: () => ({}), used: invoiceUsed },
  'evm-bitcoin': { keys: (request) => ({ claim_pk: request.claimKey }), used: hashUsed },
  'arkade-lightning': { keys: (request) => ({ refund_pk: request.refundKey }), used: invoiceUsed },
  'lightning-arkade': { keys: (request) => ({ claim_pk: request.claimKey }), used: hashUsed },
  'bitcoin-arkade': {
    keys: (request) => ({ claim_pk: request.claimKey, refund_pk: request.refundKey }),
    used: hashUsed,
  },
};

interface Created<D extends DirectionName> {
  readonly service: Service;
  readonly request: { readonly body: Creates[D] };
  readonly developerKey: string | null;
  readonly client: string | null;
}

function create<D extends DirectionName>(name: D): (call: Created<D>) => Promise<Records[D] | Refusal> {
  const direction: Direction<D> = directions[name];
  return async ({ service, request: { body }, developerKey, client }) => {
    const { extraFeesBps } = body as { extraFeesBps: number };
    const refusal = refuseExtraFees(extraFeesBps, developerKey) ?? refuseOffCurve(direction.keys(body));
    if (refusal !== null) return refusal;
    const created = await service.create(name, body, developerKey, client);
    return isRefusal(created) && created.refusal === 'hash-used' ? withPhrase(created, direction.used) : created;
  };
}

/** Clients decide by this text whether to retry with another key, so no wording of ours may lose it. */
function withPhrase(refusal: Refusal, phrase: string): Refusal {
  return refusal.sentence.includes(phrase) ? refusal : refuse('hash-used', `${phrase}: ${refusal.sentence}`);
}

type CreateRoute =
  | 'createArkadeEvm'
  | 'createEvmLightning'
  | 'createEvmBitcoin'
  | 'createArkadeLightning'
  | 'createLightningArkade'
  | 'createBitcoinArkade';

export const createHandlers: Handlers<CreateRoute> = {
  createArkadeEvm: create('arkade-evm'),
  createEvmLightning: create('evm-lightning'),
  createEvmBitcoin: create('evm-bitcoin'),
  createArkadeLightning: create('arkade-lightning'),
  createLightningArkade: create('lightning-arkade'),
  createBitcoinArkade: create('bitcoin-arkade'),
};
