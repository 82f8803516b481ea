import { RestArkProvider } from '@arkade-os/sdk';
import { connectArkade } from '../../engine/adapters/arkade/connect.ts';
import { serveArkade } from '../../engine/sandbox/wire/arkade.ts';
import { openOperator } from './arkade-controls.ts';
import { arkadePortSuite } from './arkade-suite.ts';

arkadePortSuite('the sandbox operator over HTTP', async () => {
  const { operator, controls, clock } = openOperator();
  const server = await serveArkade(operator, { port: 0 });
  return {
    controls,
    connect: (keys) => connectArkade(server.url, { keys, clock, network: 'regtest' }),
    ark: new RestArkProvider(server.url),
    async stop() {
      operator.stop();
      await server.stop();
    },
  };
});
