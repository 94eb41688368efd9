import { httpSend } from '../../../lambda/shared/http-send';
import { log } from '../../../lambda/shared/log';
import { timer } from '../../../mover/clock';
import { billingHandler } from './billing';

/** Within the function's own timeout, so that a silent billing system shows as an error of ours and not as a timeout. */
const LIMITS = { connectTimeoutMs: 5_000, totalTimeoutMs: 10_000, maxBodyBytes: 64 * 1024 };

function billingUrl(): URL {
  const { BILLING_URL: url } = process.env;
  if (!url || !URL.canParse(url)) throw new Error(`BILLING_URL must be an absolute URL, got: ${JSON.stringify(url)}`);
  return new URL(url);
}

const send = httpSend(LIMITS, timer);

export const handler = billingHandler({
  billingUrl: billingUrl(),
  post: (url, headers, body) => send('POST', url, headers, body),
  log,
});
