import { billingHandler, type Response } from './billing';

/**
 * Shorter than the function's timeout, so that a billing system that does not respond causes a clear error and not a
 * timeout of the function.
 */
const TIMEOUT_MS = 10_000;

function billingUrl(): URL {
  const { BILLING_URL: url } = process.env;
  if (!url || !URL.canParse(url)) throw new Error(`BILLING_URL must be an absolute URL, got: ${JSON.stringify(url)}`);
  return new URL(url);
}

async function post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`nothing within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  try {
    const { signal } = controller;
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    return { statusCode: response.status, body: await response.text() };
  } finally {
    clearTimeout(timer);
  }
}

export const handler = billingHandler({
  billingUrl: billingUrl(),
  post,
  log: line => console.log(JSON.stringify(line)),
});
