// Every line below must fail to compile together with the page: the page has no Node.
export { readFileSync } from 'node:fs';
export const environment = process.env;
export const bytes = Buffer.from('00', 'hex');
export const folder = __dirname;
