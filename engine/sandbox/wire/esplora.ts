import { fromHex, toHex } from '../../domain/hex.ts';
import { scriptOf } from '../world/bitcoin/address.ts';
import { readTx } from '../world/bitcoin/acceptance.ts';
import { type Block, blockBytes } from '../world/bitcoin/block.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import { merkleBranch } from '../world/bitcoin/header.ts';
import { TxRejected } from '../world/bitcoin/rejection.ts';
import { type Tx, totalOut } from '../world/bitcoin/tx.ts';
import { blockJson, outspendJson, statsJson, statusJson, txJson, utxosJson } from './esplora/json.ts';
import { merkleBlock } from './esplora/merkle-block.ts';
import { type Call, type HttpServer, HttpError, serveHttp } from './http.ts';
import { guardFee } from './core/fee-guard.ts';
import { packageJson } from './core/package-json.ts';
import { RpcError } from './core/rpc-error.ts';

/** One page of `/blocks`. */
const blocksPage = 10;
/** One page of transactions, of a block or of an address. */
const txsPage = 25;
const mostInMempoolPage = 50;
/** Confirmation targets that Esplora answers for. */
const targets = [...Array.from({ length: 25 }, (_, i) => i + 1), 144, 504, 1008];

/** The chain over HTTP in the shape of Blockstream's Esplora (its API.md). */
export function serveEsplora(world: BitcoinWorld, port: number, isAway = () => false): Promise<HttpServer> {
  return serveHttp(
    port,
    async (call) => {
      if (isAway()) throw new HttpError(503, 'The service is away.');
      const parts = call.path
        .replace(/^\/api\//, '/')
        .split('/')
        .slice(1);
      const body =
        call.method === 'POST' ? await post(world, parts, call) : call.method === 'GET' ? get(world, parts) : undefined;
      if (body === undefined) throw new HttpError(404, 'Not Found');
      return { status: 200, body };
    },
    (sentence) => sentence,
  );
}

async function post(world: BitcoinWorld, parts: readonly string[], { text, body }: Call): Promise<unknown> {
  try {
    if (parts.join('/') === 'tx') {
      const tx = readTx(bytesOf((await text()).trim()));
      guardFee(world, tx);
      return world.submit(tx.bytes).txid;
    }
    if (parts.join('/') === 'txs/package') {
      const given = await body();
      if (!Array.isArray(given) || !given.every((item) => typeof item === 'string'))
        throw new HttpError(400, 'Invalid package: a JSON list of transactions in hex');
      return packageJson(world.submitPackage(given.map(bytesOf)));
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof TxRejected || error instanceof RpcError)) throw error;
    throw new HttpError(
      400,
      `sendrawtransaction RPC error: ${JSON.stringify({ code: error.code, message: error.message })}`,
    );
  }
}

function get(world: BitcoinWorld, parts: readonly string[]): unknown {
  const [first, second, third, fourth] = parts;
  switch (first) {
    case 'blocks':
      return second === 'tip'
        ? tip(world, third)
        : blocks(world, second === undefined ? world.tip().height : whole(second, 'height'));
    case 'block-height':
      return (world.at(whole(second, 'height')) ?? missing('Block not found')).hash;
    case 'block':
      return aboutBlock(world, world.byHash(second ?? '') ?? missing('Block not found'), third, fourth);
    case 'tx': {
      const entry = world.transaction(second ?? '') ?? missing('Transaction not found');
      return aboutTx(world, entry.tx, entry.height, third, fourth);
    }
    case 'address':
      return aboutScript(
        world,
        { address: second },
        scriptOf(second ?? '') ?? wrong('Invalid Bitcoin address'),
        third,
        parts.slice(3),
      );
    case 'scripthash':
      return aboutScript(
        world,
        { scripthash: second },
        world.scriptNamed(second ?? '') ?? new Uint8Array(),
        third,
        parts.slice(3),
      );
    case 'fee-estimates':
      return Object.fromEntries(targets.map((target) => [target, world.feeRate()]));
    case 'mempool':
      return aboutMempool(world, second);
    default:
      return undefined;
  }
}

function tip(world: BitcoinWorld, what: string | undefined): unknown {
  if (what === 'height') return String(world.tip().height);
  return what === 'hash' ? world.tip().hash : undefined;
}

function blocks(world: BitcoinWorld, from: number): unknown {
  const newest = Math.min(from, world.tip().height);
  return Array.from({ length: Math.min(blocksPage, newest + 1) }, (_, i) =>
    blockJson(world.at(newest - i) ?? world.tip()),
  );
}

function aboutBlock(world: BitcoinWorld, block: Block, what: string | undefined, which: string | undefined): unknown {
  const { transactions, height, hash } = block;
  const best = world.at(height)?.hash === hash;
  switch (what) {
    case undefined:
      return blockJson(block);
    case 'header':
      return toHex(block.header);
    case 'raw':
      return blockBytes(block);
    case 'status': {
      const next = world.at(height + 1);
      return {
        in_best_chain: best,
        ...(best ? { height } : {}),
        ...(best && next !== undefined ? { next_best: next.hash } : {}),
      };
    }
    case 'txids':
      return transactions.map(({ txid }) => txid);
    case 'txid':
      return (transactions[whole(which, 'index')] ?? missing('tx not found')).txid;
    case 'txs': {
      const start = which === undefined ? 0 : whole(which, 'start index');
      if (start % txsPage !== 0) throw new HttpError(400, `start index must be a multipication of ${txsPage}`);
      return transactions.slice(start, start + txsPage).map((tx) => txJson(world, tx, best ? height : null));
    }
    default:
      return undefined;
  }
}

function aboutTx(
  world: BitcoinWorld,
  tx: Tx,
  height: number | null,
  what: string | undefined,
  which: string | undefined,
): unknown {
  switch (what) {
    case undefined:
      return txJson(world, tx, height);
    case 'status':
      return statusJson(world, height);
    case 'merkle-proof':
      return proof(world, tx, height);
    case 'merkleblock-proof':
      return toHex(merkleBlock(blockOf(world, height), tx.txid));
    case 'hex':
      return toHex(tx.bytes);
    case 'raw':
      return tx.bytes;
    case 'outspend':
      return outspendJson(world, tx.txid, whole(which, 'output'));
    case 'outspends':
      return tx.outputs.map((_, vout) => outspendJson(world, tx.txid, vout));
    default:
      return undefined;
  }
}

function blockOf(world: BitcoinWorld, height: number | null): Block {
  return (height === null ? undefined : world.at(height)) ?? missing('Transaction not found or is unconfirmed');
}

function proof(world: BitcoinWorld, { txid }: Tx, height: number | null): unknown {
  const block = blockOf(world, height);
  const ids = block.transactions.map((tx) => tx.txid);
  return { block_height: block.height, merkle: merkleBranch(ids, ids.indexOf(txid)), pos: ids.indexOf(txid) };
}

function aboutScript(
  world: BitcoinWorld,
  name: Record<string, string | undefined>,
  script: Uint8Array,
  what: string | undefined,
  [which, last]: readonly string[],
): unknown {
  if (what === undefined) return { ...name, ...statsJson(world, script) };
  if (what === 'utxo') return utxosJson(world, script);
  if (what !== 'txs') return undefined;
  const { confirmed, waiting } = world.history(script);
  const newest = confirmed.toReversed();
  const chain = newest.slice(last === undefined ? 0 : newest.indexOf(last) + 1).slice(0, txsPage);
  const mempool = waiting.toReversed().slice(0, mostInMempoolPage);
  const wanted =
    which === undefined
      ? [...mempool, ...chain]
      : which === 'chain'
        ? chain
        : which === 'mempool'
          ? mempool
          : undefined;
  return wanted?.flatMap((txid) => {
    const entry = world.transaction(txid);
    return entry === undefined ? [] : [txJson(world, entry.tx, entry.height)];
  });
}

function aboutMempool(world: BitcoinWorld, what: string | undefined): unknown {
  const entries = world.mempool();
  if (what === 'txids') return entries.map(({ tx }) => tx.txid);
  if (what === 'recent')
    return entries
      .slice(-10)
      .toReversed()
      .map(({ tx, fee }) => ({ txid: tx.txid, fee: Number(fee), vsize: tx.vsize, value: Number(totalOut(tx)) }));
  if (what !== undefined) return undefined;
  const rates = entries.map(({ tx, fee }) => [Number(fee) / tx.vsize, tx.vsize]).sort(([a = 0], [b = 0]) => b - a);
  return {
    count: entries.length,
    vsize: entries.reduce((sum, { tx }) => sum + tx.vsize, 0),
    total_fee: entries.reduce((sum, { fee }) => sum + Number(fee), 0),
    fee_histogram: rates,
  };
}

function bytesOf(text: string): Uint8Array {
  try {
    return fromHex(text);
  } catch {
    throw new TxRejected(-22, 'TX decode failed. Make sure the tx has at least one input.');
  }
}

function whole(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw new HttpError(400, `Invalid ${name}`);
  return Number(text);
}

function wrong(sentence: string): never {
  throw new HttpError(400, sentence);
}

function missing(sentence: string): never {
  throw new HttpError(404, sentence);
}
