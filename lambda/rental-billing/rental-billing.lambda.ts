import { httpsSend, type Timer } from '../https/https-send';
import { billingHandler } from './handler';

/** Within the function's own timeout, so that a silent billing system shows as an error of ours and not as a timeout. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

function billingUrl(): URL {
  const { BILLING_URL: url } = process.env;
  if (!url || !URL.canParse(url)) throw new Error(`BILLING_URL must be an absolute URL, got: ${JSON.stringify(url)}`);
  return new URL(url);
}

const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

const send = httpsSend({ timeoutMs: REQUEST_TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES }, timer);

export const handler = billingHandler({
  billingUrl: billingUrl(),
  post: (url, headers, body) => send('POST', url, headers, body),
  log: line => console.log(JSON.stringify(line)),
});
