import { createHash } from 'node:crypto';
import { isFormKey } from '../form-key.ts';
import { formPagePath } from './form-paths.ts';
import type { ApiServer } from '../../../core/http/routes/http-parts.ts';

/**
 * `/docs/form?key=mp_pub_…`: the guard of sign-up forms, live, in a page as strict as any that it may be put into: no
 * script but the guard itself, no inline script, and Trusted Types required.
 */
const style = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
  input, button { font: inherit; padding: 0.4rem 0.6rem; }
  input { width: 20rem; max-width: 100%; }
  code { background: #eee; padding: 0 0.2rem; }
  .mailproof-hint { min-height: 2.5rem; }
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export function addFormPage(server: ApiServer): void {
  server.route<{ Querystring: { key?: string } }>({
    method: 'GET',
    url: formPagePath,
    schema: { hide: true },
    handler: async (request, reply) => {
      const { key = '' } = request.query;
      return reply
        .header('content-security-policy', policy)
        .header('referrer-policy', 'strict-origin')
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(isFormKey(key) ? pageWith(key) : pageWithoutKey);
    },
  });
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mailproof: the guard for sign-up forms</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>The guard for sign-up forms</h1>
${body}
</main>
</body>
</html>
`;
}

/** A key holds letters, digits and underscores, and so needs no escaping. */
function pageWith(key: string): string {
  return page(`<p>Type an address and leave the field. Try <code>jane@gmial.com</code>, or a domain that does not exist.</p>
<form>
<p><label for="email">Email address</label></p>
<input id="email" type="email" autocomplete="email" data-mailproof="${key}">
<p><button type="button">Sign up</button></p>
</form>
<p>This is all that a page needs:</p>
<pre><code>&lt;script async src="…/form.js"&gt;&lt;/script&gt;
&lt;input type="email" data-mailproof="${key}"&gt;</code></pre>
<script async src="../form.js"></script>`);
}

const pageWithoutKey = page(`<p>To see it live, create a publishable key for the origin of this page under
<a href="../account">Account</a>, and open <code>/docs/form?key=mp_pub_…</code>.</p>`);
