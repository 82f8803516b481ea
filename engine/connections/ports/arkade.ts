import type { ArkadePort } from '../../legs/arkade/port.ts';
import { followArkade } from '../followers.ts';
import type { Over } from '../link.ts';

/** Arkade over whatever connection there is. */
export function arkadeOver({ ask, now, follow }: Over<ArkadePort>): Required<ArkadePort> {
  return {
    info: () => ask((port) => port.info()),
    address: () => ask((port) => port.address()),
    walletScripts: () => ask((port) => port.walletScripts()),
    balance: (...reserved) => ask((port) => port.balance(...reserved)),
    coins: (...scripts) => ask((port) => port.coins(...scripts)),
    coinsAt: (...points) => ask((port) => port.coinsAt(...points)),
    walletCoins: () => ask((port) => port.walletCoins()),
    strandedCoins: () => ask((port) => port.strandedCoins()),
    // These ask the operator nothing, and are needed most when it is gone.
    scriptUnder: async (...under) => now().scriptUnder(...under),
    virtualTxs: (...txids) => ask((port) => port.virtualTxs(...txids)),
    exitTxs: (...below) => ask((port) => port.exitTxs(...below)),
    prepareFund: (...pay) => ask((port) => port.prepareFund(...pay)),
    prepareClaim: (...claim) => ask((port) => port.prepareClaim(...claim)),
    prepareRefund: (...refund) => ask((port) => port.prepareRefund(...refund)),
    prepareExit: async (...exit) => now().prepareExit(...exit),
    prepareSweep: async (...sweep) => now().prepareSweep(...sweep),
    signedTxs: async (...bytes) => now().signedTxs(...bytes),
    submit: (...bytes) => ask((port) => port.submit(...bytes)),
    finalize: (...bytes) => ask((port) => port.finalize(...bytes)),
    state: (...bytes) => ask((port) => port.state(...bytes)),
    waiting: (...look) => ask((port) => port.waiting(...look)),
    settle: (...spend) => ask((port) => port.settle(...spend)),
    renew: (...renewal) => ask((port) => port.renew(...renewal)),
    judgeCollabRefund: (...refund) => ask((port) => port.judgeCollabRefund(...refund)),
    judgeDelegateRefund: (...refund) => ask((port) => port.judgeDelegateRefund(...refund)),
    cosign: (...refund) => ask((port) => port.cosign(...refund)),
    cosignDelegate: (...refund) => ask((port) => port.cosignDelegate(...refund)),
    buildCollabRefund: (...refund) => ask((port) => port.buildCollabRefund(...refund)),
    mergeCollabRefund: (...refund) => ask((port) => port.mergeCollabRefund(...refund)),
    delegateKey: () => now().delegateKey(),
    judgeDelegateSettle: (...request) => ask((port) => port.judgeDelegateSettle(...request)),
    delegateSettle: (...request) => ask((port) => port.delegateSettle(...request)),
    watch: (handlers) => follow(followArkade(handlers)),
  };
}
