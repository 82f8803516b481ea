import { createArkade } from '../../engine/adapters/arkade/arkade.ts';
import { arkProviderOf, indexerProviderOf } from '../support/sandbox-ports/arkade-providers.ts';
import { openOperator } from './arkade-controls.ts';
import { arkadePortSuite } from './arkade-suite.ts';

arkadePortSuite('the sandbox operator, in process', async () => {
  const { operator, controls, clock } = openOperator();
  return {
    controls,
    connect: (keys) =>
      createArkade({
        ark: arkProviderOf(operator),
        indexer: indexerProviderOf(operator),
        keys,
        clock,
        network: 'regtest',
      }),
    ark: arkProviderOf(operator),
    stop: async () => operator.stop(),
  };
});
