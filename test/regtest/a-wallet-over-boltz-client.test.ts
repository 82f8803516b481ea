import { Address, OutScript, RawTx } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../stories/wire-node.ts';
import { txidOf } from './kit/block.ts';
import { boltzClientVersion, findBoltzClient, openBoltzWallet } from './kit/boltz-client.ts';
import { serveEsplora, type Esplora } from './kit/esplora.ts';
import { faucetScript, regtest } from './kit/faucet.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { endOfCoin } from './kit/sights.ts';
import { depositTo, openStage, type Stage } from './kit/stage.ts';

const sats = 60_000;
const limitMs = 300_000;
/** The client's HTLC is over after some twenty quick blocks. */
const timing = {
  fundingWindowSeconds: 40,
  marginSeconds: 80,
  serviceLegSeconds: 160,
  clientLegSeconds: 240,
  longestLegSeconds: 259_200,
  fastBlockSeconds: 5,
};
const to = Address(regtest).encode(OutScript.decode(faucetScript));

const client = findBoltzClient();
if ('absent' in client) describe.skip(`a wallet over boltz-client (not run: ${client.absent})`, stories);
else onDaemons('a wallet over boltz-client', stories, [`boltz-client ${boltzClientVersion}`]);

/** the published Go package judges tree and address, signs with our half, and sends over this interface. */
function stories(): void {
  let stage: Stage;
  let esplora: Esplora;
  let wallet: ReturnType<typeof openBoltzWallet>;

  beforeAll(async () => {
    if ('absent' in client) throw new Error(client.absent);
    stage = await openStage({ timing, more: { boltz: { enabled: true } } });
    await stage.net.mine(11);
    await depositTo(stage.node, stage.net, 200_000n, 10);
    esplora = await serveEsplora(() => stage.net.node.rpc);
    wallet = openBoltzWallet(client.program, stage.node.url);
  }, limitMs);
  afterAll(async () => {
    wallet?.stop();
    await esplora?.stop();
    await stage?.stop();
  });

  const at = (id: string, ...statuses: readonly string[]) =>
    eventually(
      () => wallet.status(id),
      ({ status }) => statuses.includes(status),
      120_000,
    );

  /** An invoice of the node paid, and the node's lock for it, which the wallet was shown. */
  async function paidFor() {
    const swap = await eventually(
      () => wallet.reverse(sats).catch((cause: unknown) => String(cause)),
      (answer) => typeof answer !== 'string',
      60_000,
    );
    if (typeof swap === 'string') throw new Error(swap);
    stage.wallet.pay(swap.invoice);
    const { transaction } = await at(swap.id, 'transaction.mempool', 'transaction.confirmed');
    return { ...swap, transaction, coin: coinAt(transaction, swap.address) };
  }

  /** What its client pays for an invoice that the payee holds. */
  async function paysFor() {
    const { bolt11, hash, secret } = await stage.wallet.invoice(sats, 'held');
    const swap = await wallet.submarine(bolt11, hash);
    const { hex } = await stage.net.faucet.pay([{ to: swap.address, amount: BigInt(swap.sats) }]);
    await stage.net.mine(3);
    await eventually(
      () => stage.wallet.invoiceState(hash),
      (state) => state === 'held',
      120_000,
    );
    return { ...swap, hash, secret, transaction: hex, coin: coinAt(hex, swap.address) };
  }

  test.each([
    [true, 'the key of both'],
    [false, 'the secret'],
  ])(
    'Lightning to Bitcoin, claimed together: %s',
    async (together, end) => {
      const swap = await paidFor();
      await wallet.claim({ ...swap, to, together });
      expect(await endOfCoin(esplora.url, swap.coin, swap.hash)).toBe(end);
      await eventually(
        () => stage.wallet.payment(swap.hash),
        (state) => state === 'settled',
        120_000,
      );
      await stage.net.mine(6);
      await at(swap.id, 'invoice.settled');
    },
    limitMs,
  );

  test(
    'Lightning to Bitcoin that nobody claims: the payment comes back, and the coin',
    async () => {
      const swap = await paidFor();
      const height = await stage.net.height();
      await stage.net.mine(Math.max(1, swap.timeout - height));
      expect(await endOfCoin(esplora.url, swap.coin, swap.hash)).toBe('the refund leaf');
      await stage.net.mine(6);
      await eventually(
        () => stage.wallet.payment(swap.hash),
        (state) => state === 'failed',
        120_000,
      );
      await at(swap.id, 'transaction.refunded', 'swap.expired');
    },
    limitMs,
  );

  test.each([
    [true, 'the key of both'],
    [false, 'the secret'],
  ])(
    'Bitcoin to Lightning, paid, and the claim of the node signed by its client: %s',
    async (together, end) => {
      const swap = await paysFor();
      await expect(wallet.sign(swap.id)).rejects.toThrow(/swap not eligible for a cooperative claim/);
      await stage.wallet.settle(swap.secret);
      await at(swap.id, 'transaction.claim.pending');
      if (together) await wallet.sign(swap.id);
      expect(await endOfCoin(esplora.url, swap.coin, swap.hash)).toBe(end);
      await stage.net.mine(1);
      await at(swap.id, 'transaction.claimed');
    },
    limitMs,
  );

  test.each([
    [true, 'the key of both'],
    [false, 'the refund leaf'],
  ])(
    'Bitcoin to Lightning that its payee refuses, taken back together: %s',
    async (together, end) => {
      const swap = await paysFor();
      await stage.wallet.cancel(swap.hash);
      await at(swap.id, 'invoice.failedToPay', 'swap.expired');
      if (!together) await stage.net.mine(Math.max(1, swap.timeout - (await stage.net.height())));
      await wallet.refund({ ...swap, to, together });
      expect(await endOfCoin(esplora.url, swap.coin, swap.hash)).toBe(end);
    },
    limitMs,
  );
}

function coinAt(transaction: string, address: string): { readonly txid: string; readonly vout: number } {
  const bytes = Uint8Array.from(Buffer.from(transaction, 'hex'));
  const parsed = RawTx.decode(bytes);
  const script = OutScript.encode(Address(regtest).decode(address));
  return {
    txid: txidOf(bytes),
    vout: parsed.outputs.findIndex((output) => Buffer.compare(output.script, script) === 0),
  };
}
