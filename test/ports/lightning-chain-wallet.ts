import { expect, test } from 'vitest';
import type { ChainTransaction, ChainWallet, LightningPort } from '../../engine/legs/lightning/port.ts';
import { patience, type Scene } from './lightning-scene.ts';

/** What the balance of the wallet on the chain can be told from, whoever moved it. */
export function chainWalletTests(scene: () => Scene): void {
  test('what comes is listed at once, then with its block, and not by who reads from a later one', async () => {
    const { port, controls } = scene();
    await controls.mine(101);
    const { height } = await port.info();
    const before = await port.chainWallet(height + 1);
    expect([before.doubt, before.transactions]).toEqual([0n, []]);
    const txid = await controls.payWallet(70_001n);
    const waiting = await until(port, height + 1, ({ transactions }) => transactions.length > 0);
    const came = { txid, amount: 70_001n, fee: 0n, label: '', height: null } satisfies Record<
      keyof ChainTransaction,
      unknown
    >;
    expect(waiting).toEqual({ ours: before.ours + 70_001n, doubt: 0n, transactions: [came] });
    await controls.mine(1);
    const mined = await until(port, height + 1, ({ transactions }) =>
      transactions.some(({ height }) => height !== null),
    );
    expect(mined).toEqual({ ...waiting, transactions: [{ ...came, height: height + 1 }] });
    await controls.mine(1);
    expect(await port.chainWallet(height + 1)).toEqual(mined);
    expect(await port.chainWallet(height + 2)).toEqual({ ...mined, transactions: [] });
  });

  test('the hash of an address in another form brings nothing that it counts', async () => {
    const { port, controls } = scene();
    await controls.mine(101);
    const { height } = await port.info();
    const before = await port.chainWallet(height + 1);
    const txid = await controls.payWalletTwice(700n);
    await controls.mine(1);
    const mined = await until(port, height + 1, ({ transactions }) =>
      transactions.some(({ height }) => height !== null),
    );
    expect(mined.ours).toBe(before.ours + 700n);
    expect(mined.transactions).toMatchObject([{ txid, amount: 700n }]);
  });

  test('fault 336, lightning: coins count for the close of a channel once a block has them', async () => {
    const { port, controls } = scene();
    await controls.mine(101);
    const before = await port.closingFunds();
    const { height } = await port.info();
    await controls.payWallet(70_001n);
    await until(port, height + 1, ({ transactions }) => transactions.length > 0);
    expect(await port.closingFunds()).toEqual(before);
    await controls.mine(1);
    await expect.poll(async () => (await port.closingFunds()).coins, patience).toBe(before.coins + 70_001n);
  });

  test('a node that is away says nothing of it', async () => {
    const { port, controls } = scene();
    await controls.cut();
    await expect(port.chainWallet(0)).rejects.toMatchObject({ retry: 'safe' });
    await expect(port.closingFunds()).rejects.toMatchObject({ retry: 'safe' });
    await controls.mend();
  });
}

async function until(port: LightningPort, from: number, when: (held: ChainWallet) => boolean): Promise<ChainWallet> {
  await expect.poll(async () => when(await port.chainWallet(from)), patience).toBe(true);
  return port.chainWallet(from);
}
