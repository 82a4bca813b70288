import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largeProviders, nearProvider } from './large-providers.ts';

test('one slip away from a large provider is told, whichever slip it was', () => {
  const slips = {
    'gmial.com': 'gmail.com',
    'gmai.com': 'gmail.com',
    'gmaill.com': 'gmail.com',
    'gmail.con': 'gmail.com',
    'gmail.co': 'gmail.com',
    'hotmail.con': 'hotmail.com',
    'hotnail.com': 'hotmail.com',
    'yaho.com': 'yahoo.com',
    'outlok.com': 'outlook.com',
    'iclould.com': 'icloud.com',
  };
  for (const [host, meant] of Object.entries(slips)) assert.equal(nearProvider(host), meant, host);
});

test('two slips, another name and a large provider itself are none', () => {
  const none = ['gmia.com', 'example.com', 'gmail.com.example', 'mail.gmial.com', ...largeProviders];
  for (const host of none) assert.equal(nearProvider(host), undefined, host);
});
