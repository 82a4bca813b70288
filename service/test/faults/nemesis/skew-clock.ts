/**
 * Loaded before any other module of a process (`--import`): sets its clock forward or back by `SKEW_CLOCK_MS`, as
 * on a machine whose time is wrong. The monotonic clock stays right, as it does there.
 */
const skewMs = Number(process.env['SKEW_CLOCK_MS'] ?? 0);
const RightDate = Date;
const rightNow = () => RightDate.now();

globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: unknown[], wanted) =>
    Reflect.construct(target, args.length === 0 ? [rightNow() + skewMs] : args, wanted) as Date,
  apply: () => new RightDate(rightNow() + skewMs).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? () => rightNow() + skewMs : (Reflect.get(target, name, receiver) as unknown),
});

Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + skewMs });
