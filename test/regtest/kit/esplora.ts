import { Address, OutScript, RawTx } from '@scure/btc-signer';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { indexOf, type ChainView, type IndexedBlock, type IndexedTx } from './chain-index.ts';
import { regtest } from './faucet.ts';
import { RpcError, type Rpc } from './rpc.ts';

/** An Esplora over a btcd, as https://github.com/Blockstream/esplora/blob/master/API.md describes it. */
export interface Esplora {
  readonly url: string;
  stop(): Promise<void>;
}

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const pageSize = 10;
const medianSpan = 11;
/** Of a script's history, as the public servers are set up. */
const historyPageSize = 25;
const mostInMempool = 50;

export async function serveEsplora(rpc: () => Rpc): Promise<Esplora> {
  const look = indexOf(rpc);
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname.split('/').slice(1);
      const reply =
        request.method === 'POST'
          ? await send(path, await bodyOf(request), rpc())
          : path[0] === 'fee-estimates'
            ? await fees(rpc())
            : read(path, await look());
      const text = typeof reply === 'string';
      response
        .writeHead(200, { 'content-type': text ? 'text/plain' : 'application/json' })
        .end(text ? reply : JSON.stringify(reply));
    } catch (error) {
      // A btcd that is away is a gateway's failure.
      response
        .writeHead(error instanceof HttpError ? error.status : 502, { 'content-type': 'text/plain' })
        .end((error as Error).message);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString().trim();
}

async function send([first]: string[], hex: string, rpc: Rpc): Promise<string> {
  if (first !== 'tx') throw new HttpError(404, 'Not Found');
  try {
    return await rpc.call<string>('sendrawtransaction', hex);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new HttpError(
      400,
      `sendrawtransaction RPC error: ${JSON.stringify({ code: error.code, message: error.reason })}`,
    );
  }
}

/** Targets in blocks, in sats per vbyte. */
async function fees(rpc: Rpc): Promise<Record<string, number>> {
  const targets = [1, 2, 3, 6, 12, 25];
  const rates = await rpc.batch<number>(targets.map((target) => ['estimatefee', target]));
  return Object.fromEntries(targets.map((target, i) => [target, Math.round((rates[i] ?? 0) * 1e8) / 1_000]));
}

function read([first, second = '', ...rest]: string[], view: ChainView): unknown {
  const [third, fourth] = rest;
  switch (first) {
    case 'blocks':
      if (second === 'tip') return third === 'height' ? String(tip(view).height) : tip(view).hash;
      return page(view, second === '' ? tip(view).height : Number(second));
    case 'block-height':
      return (view.blocks[Number(second)] ?? missing('Block not found')).hash;
    case 'block':
      return aboutBlock(view, view.blocks.find(({ hash }) => hash === second) ?? missing('Block not found'), third);
    case 'tx':
      return aboutTransaction(
        view,
        view.transactions.find(({ txid }) => txid === second) ?? missing('Transaction not found'),
        third,
        fourth,
      );
    case 'address':
      return aboutScript(view, OutScript.encode(Address(regtest).decode(second)), rest);
    case 'scripthash':
      return aboutScript(view, scriptWithHash(view, second), rest);
    default:
      throw new HttpError(404, 'Not Found');
  }
}

function missing(sentence: string): never {
  throw new HttpError(404, sentence);
}

function tip(view: ChainView): IndexedBlock {
  return view.blocks.at(-1) ?? missing('Block not found');
}

function page(view: ChainView, newest: number): unknown {
  return view.blocks
    .slice(Math.max(0, newest - pageSize + 1), newest + 1)
    .reverse()
    .map((block) => blockJson(view, block));
}

function aboutBlock(view: ChainView, block: IndexedBlock, what: string | undefined): unknown {
  switch (what) {
    case undefined:
      return blockJson(view, block);
    case 'header':
      return block.header.toString('hex');
    case 'txids':
      return block.transactions.map(({ txid }) => txid);
    case 'status':
      return { in_best_chain: true, height: block.height, next_best: view.blocks[block.height + 1]?.hash ?? null };
    default:
      return missing('Not Found');
  }
}

function blockJson(view: ChainView, block: IndexedBlock): unknown {
  const times = view.blocks.slice(Math.max(0, block.height - medianSpan + 1), block.height + 1).map(({ time }) => time);
  return {
    id: block.hash,
    height: block.height,
    version: block.header.readInt32LE(0),
    timestamp: block.time,
    tx_count: block.transactions.length,
    merkle_root: Buffer.from(block.header.subarray(36, 68)).reverse().toString('hex'),
    previousblockhash: block.height === 0 ? null : Buffer.from(block.header.subarray(4, 36)).reverse().toString('hex'),
    mediantime: times.sort((a, b) => a - b)[Math.floor(times.length / 2)],
    nonce: block.header.readUInt32LE(76),
    bits: block.header.readUInt32LE(72),
  };
}

function aboutTransaction(
  view: ChainView,
  transaction: IndexedTx,
  what: string | undefined,
  index: string | undefined,
): unknown {
  switch (what) {
    case undefined:
      return transactionJson(view, transaction);
    case 'status':
      return status(transaction);
    case 'merkle-proof':
      return merkleProof(view, transaction);
    case 'hex':
      return hex(transaction.bytes);
    case 'outspend':
      return outspend(view, transaction.txid, Number(index));
    case 'outspends':
      return transaction.parsed.outputs.map((_, i) => outspend(view, transaction.txid, i));
    default:
      return missing('Not Found');
  }
}

function merkleProof(view: ChainView, { txid, block }: IndexedTx): unknown {
  const ids =
    view.blocks[block?.height ?? -1]?.transactions.map((transaction) => transaction.txid) ??
    missing('Transaction not found or is unconfirmed');
  const pos = ids.indexOf(txid);
  const merkle: string[] = [];
  let row = ids.map((id) => Buffer.from(id, 'hex').reverse());
  for (let at = pos; row.length > 1; at >>= 1) {
    if (row.length % 2 === 1) row.push(row.at(-1) ?? Buffer.alloc(32));
    merkle.push(hex(Buffer.from(row[at ^ 1] ?? Buffer.alloc(32)).reverse()));
    row = Array.from({ length: row.length / 2 }, (_, i) => sha256(sha256(Buffer.concat(row.slice(2 * i, 2 * i + 2)))));
  }
  return { block_height: block?.height, merkle, pos };
}

function transactionJson(view: ChainView, transaction: IndexedTx): unknown {
  const { parsed } = transaction;
  const prevouts = parsed.inputs.map(
    (input) => view.transactions.find(({ txid }) => txid === hex(input.txid))?.parsed.outputs[input.index],
  );
  const plain = RawTx.encode({ ...parsed, segwitFlag: false, witnesses: undefined }).length;
  const gathered = prevouts.reduce((sum, prevout) => sum + (prevout?.amount ?? 0n), 0n);
  const coinbase = prevouts[0] === undefined;
  return {
    txid: transaction.txid,
    version: parsed.version,
    locktime: parsed.lockTime,
    vin: parsed.inputs.map((input, i) => ({
      txid: hex(input.txid),
      vout: input.index,
      prevout: prevouts[i] === undefined ? null : outputJson(prevouts[i]),
      scriptsig: hex(input.finalScriptSig),
      ...(parsed.witnesses?.[i] === undefined ? {} : { witness: parsed.witnesses[i].map(hex) }),
      is_coinbase: coinbase,
      sequence: input.sequence,
    })),
    vout: parsed.outputs.map(outputJson),
    size: transaction.bytes.length,
    weight: plain * 3 + transaction.bytes.length,
    fee: coinbase ? 0 : Number(gathered - parsed.outputs.reduce((sum, output) => sum + output.amount, 0n)),
    status: status(transaction),
  };
}

function outputJson(output: { readonly amount: bigint; readonly script: Uint8Array }): unknown {
  return { scriptpubkey: hex(output.script), value: Number(output.amount) };
}

function status({ block }: IndexedTx): unknown {
  return block === null
    ? { confirmed: false }
    : { confirmed: true, block_height: block.height, block_hash: block.hash, block_time: block.time };
}

function outspend(view: ChainView, txid: string, index: number): unknown {
  for (const spender of view.transactions) {
    const vin = spender.parsed.inputs.findIndex((input) => input.index === index && hex(input.txid) === txid);
    if (vin >= 0) return { spent: true, txid: spender.txid, vin, status: status(spender) };
  }
  return { spent: false };
}

function aboutScript(view: ChainView, script: Uint8Array | null, [what, which, last]: readonly string[]): unknown {
  if (script === null) return [];
  const isTo = ({ parsed }: IndexedTx, vout: number): boolean =>
    parsed.outputs[vout] !== undefined && same(parsed.outputs[vout].script, script);
  const paying = view.transactions.filter((one) => one.parsed.outputs.some((_, vout) => isTo(one, vout)));
  const paid = new Map(paying.map((one) => [one.txid, one]));
  const spends = ({ parsed }: IndexedTx): boolean =>
    parsed.inputs.some((input) => {
      const of = paid.get(hex(input.txid));
      return of !== undefined && isTo(of, input.index);
    });
  if (what === 'txs') {
    const newest = view.transactions.filter((one) => paid.has(one.txid) || spends(one)).toReversed();
    return historyPage(newest, which, last).map((transaction) => transactionJson(view, transaction));
  }
  if (what !== 'utxo') throw new HttpError(404, 'Not Found');
  const spent = new Set(
    view.transactions.flatMap(({ parsed }) => parsed.inputs.map((input) => `${hex(input.txid)}:${input.index}`)),
  );
  return paying.flatMap((transaction) =>
    transaction.parsed.outputs.flatMap((output, vout) =>
      isTo(transaction, vout) && !spent.has(`${transaction.txid}:${vout}`)
        ? [{ txid: transaction.txid, vout, status: status(transaction), value: Number(output.amount) }]
        : [],
    ),
  );
}

/** The mempool and the first page of the chain, or either of them; `chain/TXID` is the page after that transaction. */
function historyPage(newest: readonly IndexedTx[], which: string | undefined, last: string | undefined): IndexedTx[] {
  const mempool = newest.filter(({ block }) => block === null).slice(0, mostInMempool);
  const chain = newest.filter(({ block }) => block !== null);
  const page = chain.slice(chain.findIndex(({ txid }) => txid === last) + 1).slice(0, historyPageSize);
  return which === undefined ? [...mempool, ...page] : which === 'chain' ? page : mempool;
}

/** Scripts are found by their hash among all that ever got paid. */
function scriptWithHash(view: ChainView, hash: string): Uint8Array | null {
  for (const { parsed } of view.transactions)
    for (const { script } of parsed.outputs)
      if (createHash('sha256').update(script).digest('hex') === hash) return script;
  return null;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
