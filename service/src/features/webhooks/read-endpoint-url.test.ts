import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEndpointUrl } from './read-endpoint-url.ts';

const read = (url: string, httpAllowed = false) => readEndpointUrl(url, { httpAllowed });

test('an endpoint is reached over https, and over http only where the operator has opened a block', () => {
  assert.equal(read('https://hooks.example.com/mailproof?x=1'), 'https://hooks.example.com/mailproof?x=1');
  assert.equal(read('https://hooks.example.com:8443'), 'https://hooks.example.com:8443/');
  assert.equal(read('http://hooks.example.com/'), undefined);
  assert.equal(read('http://hooks.example.com/', true), 'http://hooks.example.com/');
});

test('what is no plain URL of a web server is refused', () => {
  for (const url of [
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'hooks.example.com',
    '',
    'https://',
    'https://ada:secret@hooks.example.com/',
    'https://hooks.example.com/#here',
    'https://hooks.example.com:25/',
    'https://hooks.example.com:22/',
    `https://hooks.example.com/${'x'.repeat(2_000)}`,
  ])
    assert.equal(read(url, true), undefined, url);
});
