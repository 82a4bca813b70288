import type { Page } from 'playwright-core';

/** Opens the page and signs in with a key or the admin token. */
export async function signIn(page: Page, { origin, secret, path = '/' }: SignInRequest): Promise<void> {
  await page.goto(origin + path);
  await page.getByLabel('API key or admin token').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

type SignInRequest = { origin: string; secret: string; path?: string };
