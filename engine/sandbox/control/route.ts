/** One thing that the controls do, over the networks that it needs. */
export interface ControlRoute<In> {
  readonly method: 'GET' | 'POST';
  /** Its groups are the path's parameters. */
  readonly path: RegExp;
  readonly answer: (networks: In, body: unknown, parameters: readonly string[]) => unknown;
}
