import { z } from 'zod';
import type { Pair, State, StateName } from './direction.ts';

/** A state as it is kept: a stage has the fields of both halves that are legal in it. */
export function schemaOf({ claim: { fields: theirs }, fund: { fields: ours } }: Pair): z.ZodType<State> {
  const stage = (at: StateName, ...parts: readonly z.ZodRawShape[]) =>
    z.strictObject(Object.assign({ at: z.literal(at) }, ...parts) as { at: z.ZodLiteral<StateName> });
  const named = <At extends StateName>(fields: Readonly<Record<At, z.ZodRawShape>>) =>
    Object.entries(fields) as [At, z.ZodRawShape][];
  const { why: _, ...left } = theirs.stopped;
  const doubt = { doubt: z.strictObject({ ...ours.doubt, ...theirs.seed }).exactOptional() };
  const returned = { returned: z.strictObject(ours.returned).exactOptional() };
  return z.discriminatedUnion('at', [
    stage('claiming', theirs.claiming, ours.revealed),
    stage('claimed', theirs.claimed, ours.revealed),
    stage('lost', theirs.lost, ours.revealed),
    stage('returned', left, ours.returned),
    stage('stopped', theirs.stopped, doubt),
    stage('lapsed', theirs.lapsed),
    stage('refunded', theirs.refunded, doubt, returned),
    ...named(theirs.waiting).map(([at, fields]) => stage(at, fields)),
    ...named(ours.standing).map(([at, fields]) => stage(at, theirs.sure, fields)),
  ]);
}
