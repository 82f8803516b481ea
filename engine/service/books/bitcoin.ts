import { btcOn, msatPerSat } from '../../domain/money.ts';
import { outpointKey, outpointOf, type Txid } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';
import { judgeCoins, writeOffCoins, type CoinSight, type CoinEnd } from './coins.ts';
import type { WalletBook } from './wallet-book.ts';

/**
 * The coins of the Bitcoin wallet that are in a block. One that is spent in the mempool alone is on its way: any of
 * several transactions may take it yet.
 */
export function bitcoinBook(runtime: Runtime, networks: () => Networks): WalletBook {
  const { store, ports } = runtime;
  const of = btcOn('bitcoin');
  return {
    of,
    account: 'wallet',
    async look() {
      const reading = networks().bitcoinWallet();
      const doubt = runtime.clock.now().bitcoin.doubt;
      if (ports.bitcoin === null || reading.state !== 'connected' || doubt !== undefined)
        return { unknown: doubt ?? 'the chain does not answer' };
      const coins = store.chainCoins.all();
      if (coins === null) return { unknown: 'the coins of the wallet were not listed yet' };
      const booked = store.bookCoins.all(of);
      const listed = new Map(
        coins.map(({ outpoint, amount }) => [
          outpointKey(outpoint),
          { amount: amount * msatPerSat, madeBy: outpoint.txid },
        ]),
      );
      const ends = await endsOf(ports.bitcoin, booked, new Set(listed.keys()));
      const sight = { balance: store.ledger.balance(of, 'wallet'), booked, listed, ends, whose: whoseBy(runtime) };
      const verdict = judgeCoins(sight);
      return {
        // What spends a coin is asked anew each time.
        reading: {},
        verdict,
        writeOff: (reason) => writeOffCoins({ ...sight, booked: store.bookCoins.all(of) }, verdict, reason),
      };
    },
  };
}

/**
 * One that is neither listed nor spent, for its block was taken back or a source lists too little, waits, and keeps the
 * others from no verdict: a stranger's dust that a reorganisation took never comes again. What one transaction takes
 * is asked for once, however many coins that are.
 */
async function endsOf(
  bitcoin: BitcoinPort,
  booked: ReadonlyMap<string, bigint>,
  listed: ReadonlySet<string>,
): Promise<Map<string, CoinEnd>> {
  const ends = new Map<string, CoinEnd>();
  for (const place of booked.keys()) {
    if (listed.has(place) || ends.has(place)) continue;
    const spend = await bitcoin.spend(outpointOf(place));
    const end: CoinEnd = spend === null || spend.height === null ? { is: 'waits' } : { is: 'spent', by: spend.txid };
    ends.set(place, end);
    if (spend === null) continue;
    for (const taken of await placesTaken(bitcoin, spend.txid))
      if (booked.has(taken) && !listed.has(taken)) ends.set(taken, end);
  }
  return ends;
}

/** By its bytes, whoever shows them. */
async function placesTaken(bitcoin: BitcoinPort, txid: Txid): Promise<readonly string[]> {
  const tx = readRawTx((await bitcoin.transaction(txid))?.bytes ?? new Uint8Array());
  return tx?.txid === txid ? tx.inputs.map(outpointKey) : [];
}

function whoseBy({ store }: Runtime): CoinSight['whose'] {
  return (txid) => {
    const row = store.transactions.byId(txid);
    return row === null ? { is: 'unknown' } : { is: 'ours', subject: row.subject };
  };
}
