/** An amount outside of what the provider takes, and the nearest one inside. */
export interface LimitBreach {
  readonly is: 'most' | 'least';
  readonly nearest: string;
}
