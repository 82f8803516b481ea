import { coinsByScript } from '../../domain/by-script.ts';
import { fromHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import type { ChainCoin } from '../../legs/onchain/port.ts';
import { isCount, isHash, nonsense } from './core-chain.ts';
import { type CoreRpc, RpcRefusal } from './json-rpc.ts';

/** A coin set is read once for a script that is new: minutes on mainnet. */
const scanLimitMs = 600_000;
const methodNotFound = -32601;

interface Scan {
  readonly height: number;
  readonly byScript: ReadonlyMap<string, readonly ChainCoin[]>;
}

/** Reads the node's set of unspent outputs; null where it cannot, as btcd. */
export async function scanned(rpc: CoreRpc, scripts: readonly string[]): Promise<Scan | null> {
  let answer: { success?: unknown; height?: unknown; unspents?: unknown };
  try {
    answer = (await rpc.call(
      'scantxoutset',
      ['start', scripts.map((script) => `raw(${script})`)],
      scanLimitMs,
    )) as typeof answer;
  } catch (cause) {
    if (cause instanceof RpcRefusal && cause.code === methodNotFound) return null;
    if (cause instanceof RpcRefusal)
      throw onchainFailure(
        'bitcoin-away',
        'safe',
        /scan already in progress/i.test(cause.message)
          ? `The Bitcoin node ${rpc.name} reads its coins for somebody else now, and makes one scan at a time: it ` +
              'is asked again.'
          : `The Bitcoin node ${rpc.name} does not read its coins now: ${cause.message}.`,
        cause,
      );
    throw cause;
  }
  if (answer.success !== true || !isCount(answer.height) || !Array.isArray(answer.unspents))
    throw nonsense(rpc, 'scantxoutset without success');
  const coins: ChainCoin[] = [];
  for (const row of answer.unspents as {
    txid?: unknown;
    vout?: unknown;
    scriptPubKey?: unknown;
    amount?: unknown;
    height?: unknown;
    coinbase?: unknown;
  }[]) {
    const { txid, vout, scriptPubKey, amount, height, coinbase } = row;
    if (
      !isHash(txid) ||
      !isCount(vout) ||
      typeof scriptPubKey !== 'string' ||
      typeof amount !== 'number' ||
      !isCount(height)
    )
      throw nonsense(rpc, 'scantxoutset with a malformed coin');
    coins.push({
      outpoint: { txid, vout },
      script: fromHex(scriptPubKey),
      amount: sats(Math.round(amount * 100_000_000)),
      height,
      ...(typeof coinbase === 'boolean' ? { reward: coinbase } : {}),
    });
  }
  return { height: answer.height, byScript: coinsByScript(coins) };
}
