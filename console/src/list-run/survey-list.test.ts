import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openList } from './open-list.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const atOnce = () => Promise.resolve();

async function surveyOf(text: string, name = 'people.csv') {
  const opened = await openList({ name, bytes: bytesOf(text) }, undefined, atOnce);
  assert.equal(opened.kind, 'opened');
  return opened.list.survey;
}

test('rows are blank, rejected, duplicate or asked about, and each is one of these', async () => {
  const survey = await surveyOf(
    'name,email\nA,ada@example.com\nB, ADA@Example.com \nC,\nD,no address\nE,jos\u00e9@ex\u00e4mple.test\nF,jos\u00e9@xn--exmple-cua.test\n',
  );
  const { rows, blank, rejected, duplicates, addresses } = survey;
  assert.deepEqual({ rows, blank, rejected, duplicates }, { rows: 6, blank: 1, rejected: 1, duplicates: 2 });
  assert.deepEqual(addresses, ['ada@example.com', 'jos\u00e9@ex\u00e4mple.test']);
  assert.equal(rows, blank + rejected + duplicates + addresses.length);
  assert.deepEqual(survey.places.at(1), { kind: 'address', number: 0 });
  assert.deepEqual(survey.places.at(3), { kind: 'rejected', reason: 'no_at_sign' });
});

test('what certainly is no address is told with its reason, and not sent', async () => {
  const { places } = await surveyOf(`${'x'.repeat(250)}@example.com\nada@exam\u0001ple.com\n`, 'list.txt');
  assert.deepEqual(places.at(0), { kind: 'rejected', reason: 'too_long' });
  assert.deepEqual(places.at(1), { kind: 'rejected', reason: 'control_character' });
});

test('a list without a column of addresses asks for one, and takes the one that is picked', async () => {
  const file = { name: 'a.csv', bytes: bytesOf('a,b\nx,y\n') };
  const opened = await openList(file, undefined, atOnce);
  assert.equal(opened.kind, 'column_needed');
  assert.deepEqual(opened.layout.columns, ['a', 'b']);
  const picked = await openList(file, 1, atOnce);
  assert.equal(picked.kind === 'opened' && picked.list.survey.rejected, 1);
});

test('what cannot be read is told, not guessed at', async () => {
  const why = async (text: string) => {
    const opened = await openList({ name: 'a.csv', bytes: bytesOf(text) }, undefined, atOnce);
    return opened.kind === 'unreadable' ? opened.why : opened.kind;
  };
  assert.equal(await why(''), 'The file is empty.');
  assert.equal(await why('name,email\n'), 'The list has no rows.');
  assert.match(await why('email,x\n"ada@example.com,1\n'), /quote that is never closed/);
  assert.match(await why('e\0m\0'), /Save it as CSV UTF-8/);
});
