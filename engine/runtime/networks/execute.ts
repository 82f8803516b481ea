import { prepareBump, prepareSend } from './onchain/send.ts';
import { broadcast } from './onchain/broadcast.ts';
import type { EffectContext } from './context.ts';
import { prepareExit, prepareSweep } from './arkade/exit.ts';
import { cancelHold, createHold, settleHold } from './lightning/hold.ts';
import { pay } from './lightning/pay.ts';
import { cosignRefund, createSwap } from './provider/swap.ts';
import { finalize, prepareClaim, prepareLock, prepareRefund, settle, submit } from './arkade/vhtlc.ts';

export async function execute(context: EffectContext): Promise<void> {
  const { effect } = context.row;
  switch (effect.do) {
    case 'hold.create':
      return createHold(effect, context);
    case 'hold.settle':
      return settleHold(effect, context);
    case 'hold.cancel':
      return cancelHold(effect, context);
    case 'pay':
      return pay(effect, context);
    case 'vhtlc.lock':
      return prepareLock(effect, context);
    case 'vhtlc.claim':
      return prepareClaim(effect, context);
    case 'vhtlc.refund':
      return prepareRefund(effect, context);
    case 'vhtlc.submit':
      return submit(effect, context);
    case 'vhtlc.finalize':
      return finalize(effect, context);
    case 'vhtlc.settle':
      return settle(effect, context);
    case 'vhtlc.exit':
      return prepareExit(effect, context);
    case 'chain.broadcast':
      return broadcast(effect, context);
    case 'arkade.sweep':
      return prepareSweep(effect, context);
    case 'bitcoin.send':
      return prepareSend(effect, context);
    case 'bitcoin.bump':
      return prepareBump(effect, context);
    case 'provider.create':
      return createSwap(effect, context);
    case 'provider.cosign':
      return cosignRefund(effect, context);
  }
}
