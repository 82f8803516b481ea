import { chainIdOf, isEvm, nativeChainIds } from '../../../engine/domain/chain.ts';
import type { Setting } from '../settings/form.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';
import { connectionOf } from '../settings/groups.ts';

/** One of the ways in which a network is given to the node. */
export interface Way {
  readonly name: keyof typeof words.ways;
  readonly fields: readonly Setting[];
}

const { fields, hints } = words;

function setting(is: Setting['is'], at: string, label: string, hint?: string): Setting {
  return { is, at: at.split('.'), label, ...(hint === undefined ? {} : { hint }) };
}

/** The first is the shortest. A network with one way alone has it under any name. */
export function waysOf(network: string): readonly Way[] {
  switch (network) {
    case 'lightning':
      return [
        { name: 'link', fields: [setting('bytes', 'lnd.link', fields.link, hints.link)] },
        {
          name: 'paste',
          fields: [
            setting('text', 'lnd.socket', fields.socket, common.settings.hints.lndSocket),
            setting('bytes', 'lnd.cert', fields.cert, hints.cert),
            setting('bytes', 'lnd.macaroon', fields.macaroon, hints.macaroon),
          ],
        },
        { name: 'files', fields: connectionOf('lightning') },
      ];
    case 'bitcoin':
      return [
        {
          name: 'paste',
          fields: [
            setting('text', 'bitcoin.core.url', common.settings.fields.coreUrl, common.settings.hints.coreUrl),
            setting('text', 'bitcoin.core.cookieFile', fields.cookieFile, hints.cookieFile),
            setting('text', 'bitcoin.core.user', fields.coreUser),
            setting('secret', 'bitcoin.core.password', fields.corePassword),
            setting('text', 'bitcoin.core.caFile', fields.coreCa, hints.coreCa),
            setting('list', 'bitcoin.esplora', common.settings.fields.esplora, common.settings.hints.onePerLine),
          ],
        },
      ];
    case 'arkade':
      return [{ name: 'files', fields: connectionOf(network) }];
    default: {
      const own = (at: string, label: string, is: Setting['is'] = 'text', hint: string = hints.usual) =>
        setting(is, `evm.${network.slice('evm:'.length)}.${at}`, label, hint);
      // Where the coin of the chain is locked itself, the configuration refuses a token or an exchange.
      const locksCoin = isEvm(network) && nativeChainIds.includes(chainIdOf(network));
      return [
        {
          name: 'files',
          fields: [
            ...connectionOf(network),
            ...(locksCoin
              ? []
              : [
                  own('peggedToken', fields.pegged),
                  own('tokens', fields.tokens, 'list', hints.tokens),
                  own('dex.quoter', fields.quoter, 'text', hints.dex),
                  own('dex.router', fields.router, 'text', hints.dex),
                ]),
            own('contracts.htlc', fields.htlc),
            own('contracts.coordinator', fields.coordinator),
          ],
        },
      ];
    }
  }
}
