import { connectLnd } from '../../engine/adapters/lnd/connect.ts';
import { unix } from '../../engine/domain/time.ts';
import { serveLnd } from '../../engine/sandbox/wire/lnd.ts';
import { makeCertificate } from '../../engine/sandbox/wire/lnd/certificate.ts';
import { bakeMacaroon } from '../../engine/sandbox/wire/lnd/macaroon.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import { lightningPortSuite } from './lightning-suite.ts';
import { sandboxControls } from './sandbox-controls.ts';

const certificate = makeCertificate();
const rootKey = new Uint8Array(32).fill(7);
const macaroon = bakeMacaroon(rootKey);

lightningPortSuite("the lnd adapter, on the sandbox's gRPC", async () => {
  const worlds = openWorlds();
  const server = await serveLnd({ world: worlds.lightning, bitcoin: worlds.bitcoin, port: 0, certificate, rootKey });
  const port = connectLnd({
    socket: server.socket,
    cert: Buffer.from(certificate.cert),
    macaroon,
    network: 'regtest',
    now: () => unix(worlds.bitcoin.clock.now()),
    limit: 3_000,
  });
  return {
    port,
    controls: sandboxControls(worlds),
    async stop() {
      await port.stop();
      await server.stop();
      worlds.lightning.stop();
    },
  };
});
