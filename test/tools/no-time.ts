/** Of a file that its suite had no time for. */
export const noTime = 'no time is left for this file';
