import { refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import type { Sats } from '../../domain/money.ts';
import { arkadePrefix, decodeArkadeAddress } from '../../legs/arkade/address.ts';
import type { OperatorInfo } from '../../legs/arkade/operator.ts';
import type { ServiceContext } from '../context.ts';

/** What speaks against paying out to this Arkade address; null where nothing does. */
export function wrongTargetAddress(
  { config }: Pick<ServiceContext, 'config'>,
  operator: OperatorInfo,
  address: string,
  field = 'target_arkade_address',
): Refusal | null {
  const target = decodeArkadeAddress(address);
  if (target === null) return refuse('invalid', `${field} is not an Arkade address: check that it was copied whole.`);
  if (target.prefix !== arkadePrefix(config.network))
    return refuse(
      'invalid',
      `${field} is of another network (${target.prefix}1…); this node is on ${config.network}: give ` +
        `an address that starts with ${arkadePrefix(config.network)}1.`,
    );
  return sameBytes(target.operator, operator.signer)
    ? null
    : refuse(
        'invalid',
        `${field} belongs to another Arkade operator than the one this node uses: give an address of the same operator.`,
      );
}

/** What the operator keeps no coin of. */
export function belowDust({ dust }: OperatorInfo, target: Sats): Refusal | null {
  return target >= dust
    ? null
    : refuse(
        'invalid',
        `Min amount is ${dust} sats on this Arkade operator; the swap would pay out ${target}: ask for more.`,
      );
}
