import { billingHandler } from './handler';
import { httpsPost, type Timer } from './https-post';

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

export const handler = billingHandler({
  billingUrl: billingUrl(),
  post: httpsPost({ timeoutMs: REQUEST_TIMEOUT_MS, maxBodyBytes: MAX_ANSWER_BYTES }, timer),
  log: line => console.log(JSON.stringify(line)),
});
