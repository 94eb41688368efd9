import { httpSend } from '../../../lambda/shared/http-send';
import { log } from '../../../lambda/shared/log';
import { billingHandler } from './billing';

/**
 * Shorter than the function's timeout, so that a billing system that does not respond causes a clear error and not a
 * timeout of the function.
 */
const LIMITS = { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000, maxBodyBytes: 64 * 1024 };

function billingUrl(): URL {
  const { BILLING_URL: url } = process.env;
  if (!url || !URL.canParse(url)) throw new Error(`BILLING_URL must be an absolute URL, got: ${JSON.stringify(url)}`);
  return new URL(url);
}

const send = httpSend(LIMITS, (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
});

export const handler = billingHandler({
  billingUrl: billingUrl(),
  post: (url, headers, body) => send('POST', url, headers, body),
  log,
});
