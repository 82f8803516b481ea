// Loaded first by a process whose machine is to be behind by so many seconds: --import test/upgrade/earlier.ts
const behindMs = Number(process.env['MACHINE_BEHIND_SECONDS']) * 1_000;
const Now = Date;

globalThis.Date = new Proxy(Now, {
  construct: (_, given: unknown[], as) =>
    Reflect.construct(Now, given.length === 0 ? [Now.now() - behindMs] : given, as) as Date,
  get: (date, name) => (name === 'now' ? () => Now.now() - behindMs : Reflect.get(date, name)) as unknown,
});
