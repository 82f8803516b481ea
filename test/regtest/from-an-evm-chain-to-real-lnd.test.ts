import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentsOf } from '../crash/support/oracle.ts';
import { collabRefund, evmToLightning, fundAlone, fundGasless, signedRefund } from '../stories/client/from-evm.ts';
import type { FromEvm } from '../stories/client/from-evm.ts';
import { text, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { onEachPairOfStage } from './arkd/stage.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { lightningWallet } from './kit/lightning-wallet.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { openStage, type Stage } from './kit/stage.ts';

const sats = 50_000;
/** Until the funding is buried, paid and claimed, at a block a second. */
const patienceMs = 60_000;

interface Paying extends FromEvm {
  readonly hash: string;
  readonly secret: string;
}

onEachPairOfStage('from an EVM chain to real lnd', (over) => {
  let chain: EvmChainOfStage;
  let stage: Stage;
  let oracle: Oracle;
  let before: Books;
  const claimed: Paying[] = [];

  beforeAll(async () => {
    chain = await startEvmChain(over.evm);
    stage = await openStage({ chain, over: over.bitcoin });
    oracle = await openOracle(stage);
    before = await oracle.books();
    await eventually(
      () => stage.node.get('/swap-pairs'),
      ({ pairs }) => (pairs as Json[]).some(({ source }) => source === String(chain.chainId)),
    );
  });
  afterAll(async () => {
    await oracle?.stop();
    await stage?.stop();
    await chain?.stop();
  });

  /** A node whose lnd was away does not know it again at once, and has no liquidity before its channels are seen. */
  async function offered(order: Parameters<typeof evmToLightning>[1]): ReturnType<typeof evmToLightning> {
    const until = Date.now() + patienceMs;
    for (;;) {
      try {
        return await evmToLightning(stage.node.url, order);
      } catch (error) {
        const isBack = !/not enough liquidity|does not answer now/.test(String(error));
        if (isBack || Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  /** A swap whose client has twice the tokens that it needs, and coins where it sends its transactions itself. */
  async function opened(kind: 'plain' | 'held', symbol = 'WBTC'): Promise<Paying> {
    const { bolt11, hash, secret } = await stage.wallet.invoice(sats, kind);
    const token = chain.tokenOf(symbol);
    const gasless = symbol !== 'WBTC';
    const swap = await offered({ chainId: chain.chainId, token, bolt11, hash, gasless });
    await chain.give(swap.account.address, token, 2n * swap.price);
    if (!gasless) await chain.give(swap.account.address, chain.coin, 10n ** 18n);
    return { ...swap, hash, secret };
  }

  const soon = (): number => Math.floor(Date.now() / 1_000) + 3_600;

  /** A swap whose payment lies with the payee, who has not taken it yet. */
  async function withPayee(): Promise<Paying> {
    const swap = await opened('held');
    await fundAlone(stage.node.url, swap, chain.rpcUrl, soon());
    await expect.poll(() => stage.wallet.invoiceState(swap.hash), { timeout: patienceMs }).toBe('held');
    return swap;
  }

  async function redeemed(swap: Paying): Promise<void> {
    claimed.push(swap);
    const record = await stage.node.until(swap, 'serverredeemed', patienceMs);
    expect(record).toMatchObject({ lightning_payment_settled: true, evm_claim_txid: expect.any(String) });
    expect(await stage.wallet.invoiceState(swap.hash)).toBe('settled');
  }

  test('what is locked is paid by lnd and claimed: locked alone, and without gas through the exchange', async () => {
    const [own, gasless] = [await opened('plain'), await opened('plain', 'USDC')];
    await Promise.all([
      fundAlone(stage.node.url, own, chain.rpcUrl, soon()),
      eventually(
        () => fundGasless(stage.node.url, gasless, soon()),
        ({ status }) => status !== 503, // It says: ask again.
        patienceMs,
      ).then(({ status, body }) => expect([status, body['message']]).toEqual([200, 'The funding was sent.'])),
    ]);
    await Promise.all([redeemed(own), redeemed(gasless)]);
  });

  test('a payment that the payee gives back: every token comes back by both signatures', async () => {
    const swap = await withPayee();
    await expect(signedRefund(stage.node.url, swap)).rejects.toThrow(/403 Refund not allowed/);
    await stage.wallet.cancel(swap.hash);
    await stage.node.until(swap, 'serverwontfund', patienceMs);
    const { status } = await collabRefund(stage.node.url, swap, await signedRefund(stage.node.url, swap));
    expect(status).toBe(200);
    await stage.node.until(swap, 'clientrefunded', patienceMs);
    expect(await chain.balance(chain.pegged, swap.account.address)).toBe(2n * swap.price);
  });

  test('lnd killed while the payee has the payment: it ends when lnd is back, and is claimed', async () => {
    const swap = await withPayee();
    await stage.ours.kill();
    await stage.wallet.settle(swap.secret);
    await stage.ours.start();
    await stage.net.reconnect();
    await redeemed(swap);
  });

  test('the node killed between payment and claim: it claims when it is back', async () => {
    const swap = await withPayee();
    const locked = await chain.balance(chain.pegged, chain.htlc);
    await stage.node.kill('SIGKILL');
    await stage.wallet.settle(swap.secret);
    const ours = lightningWallet(stage.ours);
    await expect.poll(() => ours.payment(swap.hash), { timeout: patienceMs }).toBe('settled');
    expect(await chain.balance(chain.pegged, chain.htlc)).toBe(locked);
    await stage.node.start();
    await redeemed(swap);
  });

  test('nothing is paid twice, and not one unit of a token nor a millisatoshi is unaccounted for', async () => {
    await stage.node.restart('SIGKILL');
    const account = text(claimed[0]?.record ?? {}, 'server_evm_address');
    const records = await Promise.all(claimed.map(({ id }) => stage.node.get(`/swap/${id}`)));
    const after = await oracle.books();
    const paid = BigInt(claimed.length * sats) * 1_000n;
    expect({
      times: [...(await paymentsOf(stage.ours.lnd))].map(([hash, { count }]) => [hash, count]).sort(),
      ours: before.lightningMsat - after.lightningMsat,
      theirs: after.theirLightningMsat - before.theirLightningMsat,
      left: await Promise.all([chain.htlc, chain.coordinator].map((one) => chain.balance(chain.pegged, one))),
      gained: await chain.balance(chain.pegged, account),
    }).toEqual({
      times: claimed.map(({ hash }) => [hash, 1]).sort(),
      ours: paid,
      theirs: paid,
      left: [0n, 0n],
      gained: records.reduce((sum, record) => sum + BigInt(text(record, 'evm_expected_sats')), 0n),
    });
  });
});
