import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { treasuryScript } from '../../engine/sandbox/world/bitcoin/faucet.ts';
import { writeTx } from '../../engine/sandbox/world/bitcoin/tx.ts';
import { largestPartMsat } from '../../engine/sandbox/world/lightning/network.ts';
import type { Worlds } from '../sandbox/worlds.ts';
import type { LightningControls } from './lightning-scene.ts';

/** The rest of the network, played by hand. */
export function sandboxControls({ bitcoin, lightning }: Worlds): LightningControls {
  const feeLimitMsat = 1_000_000n;
  return {
    rules: lightning.like,
    largestPart: Number(largestPartMsat / 1_000n),
    now: async () => unix(bitcoin.clock.now()),
    advance: async (seconds) => bitcoin.advance(seconds),
    async outsideInvoice({ msat, hold = false, ...terms }) {
      const { bolt11, hash } = lightning.addInvoice('outside', { hold, amountMsat: msat, ...terms });
      return { bolt11, hash: asSha256(fromHex(hash)) };
    },
    async heldOutside(hash) {
      const outcome = lightning.payment('node', toHex(hash))?.outcome;
      if (outcome !== 'in-flight') throw new Error(`the payment is ${outcome ?? 'unknown'}`);
    },
    settleOutside: async (hash) => lightning.release(toHex(hash), 'settles'),
    cancelOutside: async (hash) => lightning.release(toHex(hash), 'fails'),
    payFromOutside: async (bolt11, { partMsat } = {}) =>
      void lightning.send('outside', {
        bolt11,
        feeLimitMsat,
        ...(partMsat === undefined ? {} : { largestMsat: partMsat }),
      }),
    sendPartFromOutside: async (bolt11, partMsat) => void lightning.sendPart('outside', { bolt11, partMsat }),
    outsidePayment: async (hash) => lightning.payment('outside', toHex(hash))?.outcome ?? 'failed',
    mine: async (blocks) => bitcoin.mine(blocks),
    async payWallet(amount) {
      const coin = bitcoin.faucet(lightning.newAddress('p2wpkh'), sats(amount));
      if (coin === null) throw new Error('the faucet is empty');
      return coin.txid;
    },
    async payWalletTwice(amount) {
      const spends = bitcoin.faucet(treasuryScript, sats(2n * amount + 1_000n));
      if (spends === null) throw new Error('the faucet is empty');
      const script = lightning.newAddress('p2wpkh');
      const twin = Uint8Array.of(0x76, 0xa9, 20, ...script.subarray(2), 0x88, 0xac);
      const outputs = [script, twin].map((to) => ({ amount: sats(amount), script: to }));
      const inputs = [{ spends, sequence: 0xfffffffe, witness: [Uint8Array.of(0x51)] }];
      return bitcoin.submit(writeTx({ version: 2, inputs, outputs })).txid;
    },
    cut: async () => lightning.setFaults({ node: 'away' }),
    mend: async () => lightning.setFaults({ node: 'back' }),
    // What the networks hold outlives a node here, and nobody but the node under test is a process that could be
    // killed.
    kill: async (whom) => (whom === 'node' ? lightning.setFaults({ node: 'away' }) : undefined),
    revive: async (whom) => (whom === 'node' ? lightning.setFaults({ node: 'back' }) : undefined),
    withdrawPeer: async () => lightning.setFaults({ peer: 'away' }),
    returnPeer: async () => lightning.setFaults({ peer: 'back' }),
    withdrawChain: async () => lightning.setFaults({ chain: 'away' }),
    returnChain: async () => lightning.setFaults({ chain: 'back' }),
  };
}
