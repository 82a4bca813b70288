type TestEvent = { type: string; data: { name?: string; file?: string; todo?: unknown } };

/** Names the first test that fails and ends the process: one is enough, whatever the others would say. */
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let ran = 0;
  for await (const { type, data } of events) {
    if (type === 'test:pass') ran += 1;
    if (type !== 'test:fail' || data.todo !== undefined) continue;
    process.stdout.write(`${data.name ?? data.file ?? ''}\n`);
    process.exit(1);
  }
  yield `${ran} tests passed\n`;
}
