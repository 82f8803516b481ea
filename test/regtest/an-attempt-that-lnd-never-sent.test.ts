import { readFileSync } from 'node:fs';
import { getChannels, getPayment } from 'ln-service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectLnd } from '../../engine/adapters/lnd/connect.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { LightningPort } from '../../engine/legs/lightning/port.ts';
import { blocksAfterTimeout } from '../../engine/legs/timelocks.ts';
import { onStage } from './arkd/stage.ts';
import { until } from './kit/daemon.ts';
import { lightningWallet } from './kit/lightning-wallet.ts';
import type { Lnd } from './kit/lnd.ts';
import { type Net, startNet } from './kit/net.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { openOracle } from './kit/oracle.ts';
import { patientClient } from './kit/patient-client.ts';
import { openStage, type Stage } from './kit/stage.ts';

onDaemons('an attempt that lnd never sent', () => {
  let net: Net;
  let ours: Lnd;
  let port: LightningPort & { stop(): Promise<void> };

  beforeAll(async () => {
    // It commits to what it sends after 50 ms; so long, that it is killed before whatever the moment.
    net = await startNet({ lnds: ['ours', 'theirs'], flags: { ours: ['--channel-commit-interval=1h'] } });
    ours = net.lnd('ours');
    const [cert, macaroon] = [readFileSync(ours.certFile), readFileSync(ours.macaroonFile)];
    port = connectLnd({ socket: ours.socket, cert, macaroon, network: 'regtest' });
  });
  afterAll(async () => {
    await port?.stop();
    await net?.stop();
  });

  test('fault 23: is in flight for ever to lnd, and lost to the node 144 blocks after its timeout', async () => {
    const wallet = lightningWallet(net.lnd('theirs'));
    const invoice = await wallet.invoice(20_000);
    const hash = asSha256(fromHex(invoice.hash));
    const maxTimeoutHeight = (await net.height()) + 100;
    const request = { bolt11: invoice.bolt11, hash, amount: sats(20_000), maxFeeMsat: 0n, maxTimeoutHeight };
    await port.pay(request);
    const [attempt] = await until('lnd makes an attempt', async () => {
      const { pending } = await getPayment({ lnd: ours.lnd, id: invoice.hash });
      return pending === undefined || pending.paths.length === 0 ? null : pending.paths;
    });
    await ours.kill();
    await ours.start();
    await net.reconnect();
    const { channels } = await getChannels({ lnd: ours.lnd });
    expect(channels.map(({ pending_payments }) => pending_payments)).toEqual([[]]);
    expect(await port.payment(hash)).toEqual({ is: 'in-flight' });

    const timeout = attempt?.hops[0]?.timeout ?? expect.fail('the attempt has no hop');
    await net.mine(timeout + blocksAfterTimeout - (await net.height()));
    expect(await port.payment(hash)).toEqual({ is: 'in-flight' });
    await net.mine(1);
    expect(await port.payment(hash)).toEqual({ is: 'absent' });
    expect((await getPayment({ lnd: ours.lnd, id: invoice.hash })).is_pending).toBe(true);

    await port.pay({ ...request, maxTimeoutHeight: (await net.height()) + 100 });
    expect([await wallet.invoiceState(invoice.hash), await port.payment(hash)]).toEqual(['open', { is: 'absent' }]);
  });
});

onStage('a swap whose payment lnd never sent', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({ flags: { ours: ['--channel-commit-interval=1h'] } });
  });
  afterAll(() => stage?.stop());

  test('is over when no block can bring the payment any more, and its client has its coin back', async () => {
    const { node, ours, net } = stage;
    const oracle = await openOracle(stage);
    const before = await oracle.books();
    const client = patientClient(stage);
    const sending = await client.send();
    await client.fund(sending);
    await client.reached(sending.swap, 'serverfunded');
    await Promise.all([node.kill('SIGKILL'), ours.kill()]);
    await node.start();
    await ours.start();
    await net.reconnect();
    await client.paidOrRefunded([sending]);
    await client.reached(sending.swap, 'clientrefunded');
    expect(await oracle.faults(before, client.played)).toEqual([]);
    await oracle.stop();
  });
});
