import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import { lnd020 } from '../../engine/sandbox/world/lightning/release.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import { lnd021 } from '../support/lnd-releases.ts';
import { lightningPortSuite } from './lightning-suite.ts';
import { sandboxControls } from './sandbox-controls.ts';

for (const like of [lnd020, lnd021]) {
  lightningPortSuite(`the sandbox in process, like lnd ${like.version}`, async () => {
    const worlds = openWorlds(undefined, undefined, undefined, like);
    return {
      port: createLightningPort(worlds.lightning, { bitcoin: worlds.bitcoin }),
      controls: sandboxControls(worlds),
      stop: async () => worlds.lightning.stop(),
    };
  });
}
