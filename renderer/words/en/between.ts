/** What stands between the two sides of a direction. */
export const between = { to: 'to' };
