import assert from 'node:assert/strict';

/** Forms, redirects and the consent: more steps than a sign-in has. */
const mostSteps = 12;

/**
 * Goes through the pages of the provider as a browser would, signs in as `login`, and returns the URL it is sent
 * back to. `cancels`: takes the way back at the first page.
 */
export async function visitProvider(
  url: string,
  { login, backTo, cancels = false }: { login: string; backTo: string; cancels?: boolean },
): Promise<URL> {
  const cookies = new Map<string, string>();
  const ask = async (target: string, body?: URLSearchParams) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(target, {
      redirect: 'manual',
      headers: { cookie },
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };

  let response = await ask(url);
  let here = url;
  for (let step = 0; step < mostSteps; step += 1) {
    const location = response.headers.get('location');
    if (location !== null) {
      here = new URL(location, here).href;
      if (here.startsWith(backTo)) return new URL(here);
      response = await ask(here);
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]* action="(?<action>[^"]+)"/.exec(page)?.groups?.['action'];
    assert.ok(action !== undefined, `no form in ${here} (${response.status}): ${page.slice(0, 2_000)}`);
    const prompt = /name="prompt" value="(?<prompt>\w+)"/.exec(page)?.groups?.['prompt'] ?? '';
    response = cancels
      ? await ask(new URL(`${here}/abort`).href)
      : await ask(new URL(action, here).href, new URLSearchParams({ prompt, login, password: 'any' }));
  }
  assert.fail(`no way back from ${here}`);
}
