import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import type { Worlds } from '../sandbox/worlds.ts';
import type { LightningControls } from './lightning-suite.ts';

/** The rest of the network, played by hand. */
export function sandboxControls({ bitcoin, lightning }: Worlds): LightningControls {
  return {
    now: async () => unix(bitcoin.clock.now()),
    async outsideInvoice({ sats, hold = false, ...terms }) {
      const { bolt11, hash } = lightning.addInvoice('outside', { hold, amountMsat: BigInt(sats) * 1_000n, ...terms });
      return { bolt11, hash: asSha256(fromHex(hash)) };
    },
    settleOutside: async (hash) => lightning.release(toHex(hash), 'settles'),
    cancelOutside: async (hash) => lightning.release(toHex(hash), 'fails'),
    payFromOutside: async (bolt11) => void lightning.send('outside', { bolt11, feeLimitMsat: 1_000_000n }),
    outsidePayment: async (hash) => lightning.payment('outside', toHex(hash))?.outcome ?? 'failed',
    mine: async (blocks) => bitcoin.mine(blocks),
    away: async () => lightning.setFaults({ node: 'away' }),
    back: async () => lightning.setFaults({ node: 'back' }),
    advance: async (seconds) => bitcoin.advance(seconds),
  };
}
