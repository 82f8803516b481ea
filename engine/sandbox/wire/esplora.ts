import { toHex } from '../../domain/hex.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import { type Block, coinbase, difficultyBits } from '../world/bitcoin/header.ts';
import { type HttpServer, type Reply, HttpError, serveHttp } from './http.ts';

/** One page of `/blocks`. */
const pageSize = 10;
const satPerVb = 1;
/** Confirmation targets that Esplora answers for. */
const targets = [...Array.from({ length: 25 }, (_, i) => i + 1), 144, 504, 1008];

/** The chain over HTTP in the shape of Blockstream's Esplora (its API.md). No transactions but coinbases exist yet. */
export function serveEsplora(world: BitcoinWorld, port: number): Promise<HttpServer> {
  return serveHttp(
    port,
    ({ method, path }) => {
      if (method !== 'GET') throw new HttpError(405, 'Method Not Allowed');
      const parts = path.replace(/^\/api\//, '/').split('/').slice(1);
      const reply = route(world, parts);
      if (reply === undefined) throw new HttpError(404, 'Not Found');
      return { status: 200, body: reply } satisfies Reply;
    },
    (sentence) => sentence,
  );
}

function route(world: BitcoinWorld, [first, second, third]: string[]): unknown {
  switch (first) {
    case 'blocks':
      return second === 'tip' ? tip(world, third) : page(world, second === undefined ? world.tip().height : height(second));
    case 'block-height':
      return (world.at(height(second)) ?? missing('Block not found')).hash;
    case 'block':
      return aboutBlock(world, world.byHash(second ?? '') ?? missing('Block not found'), third);
    case 'fee-estimates':
      return Object.fromEntries(targets.map((target) => [target, satPerVb]));
    case 'mempool':
      return second === undefined ? { count: 0, vsize: 0, total_fee: 0, fee_histogram: [] } : [];
    case 'address':
    case 'scripthash':
      return third === undefined ? emptyAddress(first, second ?? '') : [];
    case 'tx':
      return missing('Transaction not found');
    default:
      return undefined;
  }
}

function tip(world: BitcoinWorld, what: string | undefined): unknown {
  if (what === 'height') return String(world.tip().height);
  return what === 'hash' ? world.tip().hash : undefined;
}

function page(world: BitcoinWorld, from: number): unknown {
  const newest = Math.min(from, world.tip().height);
  return Array.from({ length: Math.min(pageSize, newest + 1) }, (_, i) => asJson(world.at(newest - i) ?? world.tip()));
}

function aboutBlock(world: BitcoinWorld, block: Block, what: string | undefined): unknown {
  switch (what) {
    case undefined:
      return asJson(block);
    case 'header':
      return toHex(block.header);
    case 'status':
      return { in_best_chain: true, height: block.height, ...(world.at(block.height + 1) === undefined ? {} : { next_best: world.at(block.height + 1)?.hash }) };
    case 'txids':
      return [block.merkleRoot];
    default:
      return undefined;
  }
}

function asJson(block: Block): unknown {
  const size = 81 + coinbase(block.height).length;
  return {
    id: block.hash,
    height: block.height,
    version: new DataView(block.header.buffer, block.header.byteOffset).getInt32(0, true),
    timestamp: block.time,
    tx_count: 1,
    size,
    weight: size * 4,
    merkle_root: block.merkleRoot,
    previousblockhash: block.previous,
    mediantime: block.mtp,
    nonce: block.nonce,
    bits: difficultyBits,
    difficulty: 0,
  };
}

function emptyAddress(kind: string, address: string): unknown {
  const nothing = { funded_txo_count: 0, funded_txo_sum: 0, spent_txo_count: 0, spent_txo_sum: 0, tx_count: 0 };
  return { [kind]: address, chain_stats: nothing, mempool_stats: nothing };
}

function height(text: string | undefined): number {
  if (text === undefined || !/^\d{1,9}$/.test(text)) throw new HttpError(400, 'Invalid height');
  return Number(text);
}

function missing(sentence: string): never {
  throw new HttpError(404, sentence);
}
