import { costs, moreOutside } from '../contract/routes/route.ts';
import type { DoorCall } from '../api/door.ts';
import type { Refusal } from '../domain/errors.ts';
import { broadcast, readFee, readFees, readHeight, readHeights, readTransaction } from './chain.ts';
import type { DoorContext } from './context.ts';
import { listPairs } from './market.ts';
import { createChain } from './chain-swap.ts';
import { claimChain, claimReverse, furtherInputsOf, readOurClaim, refundSource, signOurClaim } from './cosign.ts';
import { acceptQuote, readQuote } from './quote.ts';
import { nameInvoice, readInvoiceAmount } from './late-invoice.ts';
import { readLock, readLocks, readPreimage, readStatus, readStatuses } from './reads.ts';
import { namesWebhook } from './fields.ts';
import { refundArk } from './refund-ark.ts';
import { restoreSwaps } from './restore.ts';
import { createReverse } from './reverse.ts';
import { createSubmarine } from './submarine.ts';

/** What an operation answers: a value in the shape of this interface, or why not. */
type Reply = object | Refusal;

interface Operation {
  readonly method: 'GET' | 'POST';
  /** Its words; `:id` stands for a swap's. */
  readonly path: readonly string[];
  /** Units before anything of it is read, and on top of that once it was. */
  readonly cost: number;
  readonly more?: (call: DoorCall) => number;
  /** 200 when left out. */
  readonly status?: number;
  /** Of a request that says something wrong by itself; 400 when left out. */
  readonly wrong?: number;
  run(door: DoorContext, call: DoorCall, id: string): Reply | Promise<Reply>;
}

type Rest = Partial<Pick<Operation, 'cost' | 'more' | 'status' | 'wrong'>>;

function get(path: string, run: Operation['run'], rest: Rest = {}): Operation {
  return { method: 'GET', path: path.split('/'), cost: costs.read, run, ...rest };
}

function post(path: string, run: Operation['run'], rest: Rest = {}): Operation {
  return { method: 'POST', path: path.split('/'), cost: costs.create, run, ...rest };
}

/** Clients of some kinds start with none that calls itself older than 3.5.0. */
const interfaceVersion = '3.13.0';

const idsOf = ({ query }: DoorCall): string[] => query.getAll('ids');

/** What is called for it later takes a socket and a wait. */
const created = {
  status: 201,
  more: ({ body }: DoorCall) => moreOutside(namesWebhook(body), costs.create),
} as const;

const charged = { cost: costs.psbts } as const;
/** A signature of ours over a transaction of the client's. */
const signed = { ...charged, more: ({ body }: DoorCall) => furtherInputsOf(body) * costs.input } as const;

/** The first that fits a path is meant: a fixed word comes before an id. */
const operations: readonly Operation[] = [
  get('version', () => ({ version: interfaceVersion })),
  get('nodes', readNodes),
  get('chain/heights', readHeights),
  get('chain/fees', readFees),
  get('chain/BTC/height', readHeight),
  get('chain/BTC/fee', readFee),
  get('chain/BTC/transaction/:id', (door, _, txid) => readTransaction(door, txid), { cost: costs.asksOutside }),
  post('chain/BTC/transaction', (door, { body }) => broadcast(door, body), {
    status: 201,
    cost: costs.asksOutside,
  }),

  get('swap/submarine', (door, call) => listPairs(door, 'submarine', call)),
  get('swap/reverse', (door, call) => listPairs(door, 'reverse', call)),
  get('swap/chain', (door, call) => listPairs(door, 'chain', call)),
  post('swap/submarine', (door, { body, client }) => createSubmarine(door, body, client), created),
  post('swap/reverse', (door, { body, client }) => createReverse(door, body, client), created),
  post('swap/chain', (door, { body, client }) => createChain(door, body, client), created),
  get('swap/status', (door, call) => readStatuses(door, idsOf(call)), {
    more: (call) => idsOf(call).length * costs.id,
  }),
  post('swap/restore', (door, call) => restoreSwaps(door, call.body, call), {
    cost: costs.recover,
    wrong: 422,
  }),
  get('swap/:id', (door, _, id) => readStatus(door, id)),

  get('swap/submarine/:id/preimage', (door, _, id) => readPreimage(door, id)),
  get('swap/submarine/:id/transaction', (door, _, id) => readLock(door, 'submarine', id)),
  get('swap/submarine/:id/claim', (door, _, id) => readOurClaim(door, 'submarine', id)),
  post('swap/submarine/:id/claim', (door, { body }, id) => signOurClaim(door, id, body), charged),
  get('swap/submarine/:id/invoice/amount', (door, _, id) => readInvoiceAmount(door, id)),
  post('swap/submarine/:id/invoice', (door, { body, client }, id) => nameInvoice(door, id, body, client)),
  post('swap/submarine/:id/refund', (door, { body }, id) => refundSource(door, 'submarine', id, body), signed),
  post('swap/submarine/:id/refund/ark', (door, { body }, id) => refundArk(door, 'submarine', id, body), charged),
  get('swap/reverse/:id/transaction', (door, _, id) => readLock(door, 'reverse', id)),
  post('swap/reverse/:id/claim', (door, { body }, id) => claimReverse(door, id, body), signed),
  get('swap/chain/:id/transactions', (door, _, id) => readLocks(door, id)),
  get('swap/chain/:id/claim', (door, _, id) => readOurClaim(door, 'chain', id)),
  post('swap/chain/:id/claim', (door, { body }, id) => claimChain(door, id, body), signed),
  get('swap/chain/:id/quote', (door, _, id) => readQuote(door, id), { cost: costs.asksOutside }),
  post('swap/chain/:id/quote', (door, { body, client }, id) => acceptQuote(door, id, body, client), {
    status: 202,
    cost: costs.asksOutside,
  }),
  post('swap/chain/:id/refund', (door, { body }, id) => refundSource(door, 'chain', id, body), signed),
  post('swap/chain/:id/refund/ark', (door, { body }, id) => refundArk(door, 'chain', id, body), charged),
];

/** Above that of any operation, with an id of 64 digits in it: it is looked at before anybody's allowance is asked. */
const longestPath = 200;

/** GET nodes: whose channels a client may know already. */
function readNodes({ context }: DoorContext) {
  const lightning = context.networks.lightning();
  return {
    BTC: lightning.state === 'connected' ? { SLUICE: { publicKey: lightning.facts.info.pubkey, uris: [] } } : {},
  };
}

/** The operation at a path, with the swap's id in it; null for none. */
export function operationAt(
  method: string,
  path: string,
): { readonly operation: Operation; readonly id: string } | null {
  if (path.length > longestPath) return null;
  let end = path.length;
  while (path[end - 1] === '/') end--;
  const words = path.slice(0, end).split('/');
  for (const operation of operations) {
    if (operation.method !== method || operation.path.length !== words.length) continue;
    if (!operation.path.every((word, at) => word === ':id' || word === words[at])) continue;
    return { operation, id: words[operation.path.indexOf(':id')] ?? '' };
  }
  return null;
}
