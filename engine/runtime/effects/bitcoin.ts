import { PortFailure } from '../../domain/errors.ts';
import type { BitcoinWalletPort, PreparedSend } from '../../legs/onchain/wallet-port.ts';
import { NotYet } from '../outbox.ts';
import { bitcoinOf, type EffectContext, type EffectOf } from './context.ts';
import { isTaken } from './vhtlc.ts';

function walletOf({ ports }: EffectContext): BitcoinWalletPort {
  if (ports.bitcoinWallet === undefined) throw new PortFailure('absent', 'safe', 'no Bitcoin endpoint is connected');
  return ports.bitcoinWallet;
}

/** Chooses wallet coins and signs the payment; nothing is sent before the commit that reserves them. */
export function prepareSend({ script, amount }: EffectOf<'bitcoin.send'>, context: EffectContext): Promise<void> {
  const reserved = () => context.store.transactions.reservedCoins();
  return context.alone('bitcoin', () => prepared(context, 'send', () => walletOf(context).prepareSend({ script, amount, reserved: reserved() })));
}

/** The same payment over the same coins, which stay reserved for the first of them. */
export function prepareBump({ script, amount, replaces, leastRate, mostFee }: EffectOf<'bitcoin.bump'>, context: EffectContext): Promise<void> {
  return prepared(context, 'bump', () => walletOf(context).prepareBump({ script, amount, replaces, leastRate, mostFee }));
}

async function prepared(context: EffectContext, purpose: 'send' | 'bump', prepare: () => Promise<PreparedSend>): Promise<void> {
  const { row, answer, ports } = context;
  const { height } = await bitcoinOf(ports).tip();
  let made: PreparedSend;
  try {
    made = await prepare();
  } catch (cause) {
    // Too poor is final as well: the owner reads it, and sends less.
    if (!(cause instanceof PortFailure) || (cause.retry !== 'never' && cause.code !== 'no-coins')) throw cause;
    return answer({ is: 'send.refused', reason: cause.message });
  }
  const { bytes, ...payment } = made;
  try {
    answer(
      { is: 'send.prepared', payment, height },
      {
        ifMoved: (store, now) => {
          const known = store.transactions.byId(made.txid)?.state;
          if (known === 'prepared' || known === 'accepted') return;
          const inputs = purpose === 'send' ? made.coins.map(({ outpoint }) => outpoint) : [];
          store.transactions.insert({ txid: made.txid, subject: row.subject, purpose, bytes, inputs }, now);
        },
      },
    );
  } catch (cause) {
    if (!isTaken(cause)) throw cause;
    throw new NotYet(null, 'a coin of the payment was promised to another one: it is prepared again');
  }
}
