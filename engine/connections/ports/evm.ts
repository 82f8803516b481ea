import type { ChosenBy, EvmPort } from '../../legs/evm/port.ts';
import type { Over } from '../link.ts';

/** An EVM chain over whatever connection there is. Who our account is and what it signs hang on no connection. */
export function evmOver({ ask, askAside, now }: Over<EvmPort>): Required<EvmPort> {
  const askBy = (by: ChosenBy | undefined) => (by === undefined ? ask : askAside);
  return {
    identity: () => ask((port) => port.identity()),
    tip: () => ask((port) => port.tip()),
    heads: () => ask((port) => port.heads()),
    heights: (...tell) => ask((port) => port.heights(...tell)),
    doubt: (...sentence) => now().doubt(...sentence),
    rpcs: () => now().rpcs(),
    disagreement: () => now().disagreement(),
    events: (...range) => ask((port) => port.events(...range)),
    receipt: (...transaction) => ask((port) => port.receipt(...transaction)),
    isActive: (...lock) => ask((port) => port.isActive(...lock)),
    depositor: (...lock) => ask((port) => port.depositor(...lock)),
    depositorIn: (...lock) => ask((port) => port.depositorIn(...lock)),
    account: () => now().account(),
    nonces: () => ask((port) => port.nonces()),
    minedOf: (...account) => ask((port) => port.minedOf(...account)),
    simulate: (...call) => ask((port) => port.simulate(...call)),
    gasFees: () => ask((port) => port.gasFees()),
    sign: (...transaction) => now().sign(...transaction),
    signDigest: (...digest) => now().signDigest(...digest),
    broadcast: (...bytes) => ask((port) => port.broadcast(...bytes)),
    balance: (...account) => askBy(account[3])((port) => port.balance(...account)),
    sureBalance: (...account) => ask((port) => port.sureBalance(...account)),
    allowance: (...spender) => askBy(spender[4])((port) => port.allowance(...spender)),
    sureAllowance: (...spender) => ask((port) => port.sureAllowance(...spender)),
    ownContracts: () => ask((port) => port.ownContracts()),
    stands: (...addresses) => ask((port) => port.stands(...addresses)),
    isOurs: (...contracts) => ask((port) => port.isOurs(...contracts)),
    token: (...token) => askBy(token[1]?.by)((port) => port.token(...token)),
    received: (...transaction) => ask((port) => port.received(...transaction)),
    read: (...call) => askBy(call[1]?.by)((port) => port.read(...call)),
  };
}
