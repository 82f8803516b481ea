import { createLightningPort } from '../../engine/sandbox/ports/lightning.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import { lightningPortSuite } from './lightning-suite.ts';
import { sandboxControls } from './sandbox-controls.ts';

lightningPortSuite('the sandbox, in process', async () => {
  const worlds = openWorlds();
  return { port: createLightningPort(worlds.lightning), controls: sandboxControls(worlds), stop: async () => worlds.lightning.stop() };
});
