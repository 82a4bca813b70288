import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ListRecord } from '@mailproof/client';
import { oneDatabase } from '../../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../../test/support/http/open-http-fixture.ts';
import { countsOf, messyFiles, refusedFiles, type MessyFile } from '../../../../test/support/messy-files.ts';

const [database] = oneDatabase;

describe('a file as people have them, uploaded to the API', () => {
  let fixture: HttpFixture;
  before(async () => {
    fixture = await openHttpFixture(database!);
  });
  after(() => fixture.close());

  async function upload({ file, column, split = false }: Omit<MessyFile, 'reads'>) {
    const query = new URLSearchParams({ split: String(split), ...(column === undefined ? {} : { column }) });
    return fixture.server.inject({
      method: 'POST',
      url: `/api/v1/lists?${query.toString()}`,
      headers: {
        authorization: `Bearer ${fixture.ours.live.apiKey}`,
        'content-type': 'application/octet-stream',
      },
      payload: Buffer.from(await file),
    });
  }

  for (const [name, file] of Object.entries(messyFiles))
    test(`${name}: is counted as it is read`, async () => {
      const response = await upload(file);
      assert.equal(response.statusCode, 201, response.body);
      const { rows, addresses, duplicates, blank, rejected, repaired } = response.json<ListRecord>();
      assert.deepEqual({ rows, addresses, duplicates, blank, rejected, repaired }, countsOf(file));
    });

  for (const [name, { file, kind, says }] of Object.entries(refusedFiles))
    test(`${name}: is refused with what to do`, async () => {
      const { reason, detail } = (await upload({ file })).json<{ reason: string; detail: string }>();
      assert.equal(reason, kind);
      assert.match(detail, says);
    });
});
