import { dead, type ProtocolRules, retry, UNANSWERED } from './ruling';

/**
 * HTTP and HTTPS endpoints. A server error and 429 are tried again, every other answer but success is final. AWS does not
 * say what it does with 1xx and 3xx; "all other errors" reads as final, so redirects are never followed.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const HTTP_RULES: ProtocolRules = {
  errors: [],
  statuses: [
    { from: 200, to: 299, ruling: { kind: 'delivered', reason: 'the endpoint took it' } },
    { from: 429, to: 429, ruling: retry('the endpoint asks for fewer requests') },
    { from: 500, to: 599, ruling: retry('the endpoint failed') },
    { from: 300, to: 399, ruling: dead('the endpoint redirects, and redirects are not followed') },
    { from: 400, to: 499, ruling: dead('the endpoint refuses it') },
  ],
  otherwise: dead('the answer is no final answer to a request'),
  unanswered: UNANSWERED,
};
