import { sats } from '../../domain/money.ts';
import { HttpError } from '../wire/http.ts';
import { scriptOf } from '../world/bitcoin/address.ts';
import type { BitcoinWorld } from '../world/bitcoin/chain.ts';
import { mostSats, onlyOne, readFields } from './fields.ts';
import type { Sources } from '../world/bitcoin/sources.ts';
import type { Miner } from './miner.ts';
import type { ControlRoute } from './route.ts';

/** The Bitcoin chain and who mines on it. */
export interface BitcoinNetwork {
  readonly bitcoin: BitcoinWorld;
  readonly miner: Miner;
  readonly sources: Sources;
}

const aYear = 31_536_000;
const mostBlocks = 100_000;
const deepestReorg = 100;
const highestFeeRate = 10_000;
const mostDropped = 1_000;

export const bitcoinRoutes: readonly ControlRoute<BitcoinNetwork>[] = [
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/faucet$/,
    answer({ bitcoin }, body) {
      const fields = readFields(body, ['address', 'amount']);
      const [address, amount] = [fields.text('address'), sats(fields.whole('amount', 1, mostSats))];
      const script = scriptOf(address);
      if (script === null)
        throw new HttpError(
          400,
          `${address} is not a Bitcoin address of regtest: send one that begins with bcrt1, m, n or 2.`,
        );
      const outpoint = bitcoin.faucet(script, amount);
      if (outpoint === null)
        throw new HttpError(
          400,
          `The faucet has no coin of ${amount} sats left that it can spend now: ask for less, or mine a block.`,
        );
      return outpoint;
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/mine$/,
    answer({ bitcoin, miner }, body) {
      const names = ['blocks', 'auto_seconds', 'auto'] as const;
      const fields = readFields(body, names);
      switch (onlyOne(fields, names)) {
        case 'blocks':
          bitcoin.mine(fields.whole('blocks', 1, mostBlocks));
          break;
        case 'auto_seconds':
          miner.every(
            (body as { auto_seconds: unknown }).auto_seconds === null ? null : fields.whole('auto_seconds', 1, aYear),
          );
          break;
        case 'auto':
          fields.choice('auto', ['on_demand']);
          miner.onDemand();
      }
      return { height: bitcoin.clock.height(), mtp: bitcoin.clock.mtp() };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/reorg$/,
    answer({ bitcoin }, body) {
      const fields = readFields(body, ['depth', 'drop']);
      bitcoin.reorg(
        fields.whole('depth', 1, Math.min(deepestReorg, bitcoin.tip().height - 1)),
        fields.has('drop') ? fields.hashes('drop', mostDropped) : [],
      );
      return { height: bitcoin.clock.height() };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/fees$/,
    answer({ bitcoin }, body) {
      bitcoin.setFeeRate(readFields(body, ['sat_per_vb']).whole('sat_per_vb', 1, highestFeeRate));
      return {};
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/fault$/,
    answer({ sources }, body) {
      sources.set(readFields(body, ['source']).choice('source', ['away', 'back']));
      return {};
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/bitcoin\/evict$/,
    answer({ bitcoin }, body) {
      const txid = readFields(body, ['txid']).hash('txid');
      if (!bitcoin.evict(txid))
        throw new HttpError(400, `The mempool has no transaction ${txid}: name one that no block has yet.`);
      return {};
    },
  },
];
