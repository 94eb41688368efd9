import type { Diagnosis } from '../death';
import { type FailedDelivery, shortName } from '../failed-delivery';
import type { AnswerRule } from './answer-rule';

/** A rule on what an endpoint answers: only its owner can mend that. */
function answered(from: number, to: number, what: string, fix: string): AnswerRule {
  return {
    statuses: [from, to],
    diagnose: ({ destination, statusCode }): Diagnosis => ({
      says: `${shortName(destination)} answered ${statusCode}: ${what}`,
      fix: { says: fix },
    }),
  };
}

/** How often it was tried, where that is more than once. */
function tried({ attempts = 1 }: FailedDelivery): string {
  return attempts > 1 ? `, ${attempts} times in all` : '';
}

const RETRY_LONGER =
  'give the subscription a delivery policy that retries for longer, or put a relay before it, which retries for days';

/**
 * What HTTP and HTTPS endpoints answer. SNS tries 429, 5xx and silence again by the delivery policy, and every other answer
 * never.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const ENDPOINT_ANSWERS: readonly AnswerRule[] = [
  answered(
    401,
    401,
    'it wants credentials that SNS does not have, or that it no longer takes.',
    'Subscribe the URL with the credentials it takes now, or have its owner let SNS in.',
  ),
  answered(
    403,
    403,
    'it refuses SNS, and SNS does not try such an answer again.',
    'Have its owner let SNS in: a firewall, an allow list or a signature check refuses its requests.',
  ),
  answered(
    404,
    404,
    'there is nothing at this path, and SNS does not try such an answer again.',
    'Have its owner restore the path, or subscribe the URL it is at now and unsubscribe this one.',
  ),
  answered(
    410,
    410,
    'it is gone for good, and says so.',
    'Subscribe the URL it is at now, if any, and unsubscribe this one.',
  ),
  answered(
    413,
    413,
    'the message is larger than it takes.',
    'Have its owner take larger requests: an envelope of SNS can have more than 256 KiB.',
  ),
  answered(
    415,
    415,
    'it does not take the content type SNS sends.',
    'Have its owner take text/plain, or state headerContentType in the delivery policy of the subscription.',
  ),
  {
    statuses: [429, 429],
    diagnose: failed => ({
      says: `${shortName(failed.destination)} answered 429${tried(failed)}: it asks for fewer requests, and SNS has used up its retries.`,
      fix: { says: `State throttlePolicy.maxReceivesPerSecond in the delivery policy, or ${RETRY_LONGER}.` },
    }),
  },
  answered(
    300,
    399,
    'it redirects, and SNS does not follow redirects.',
    'Subscribe the URL it redirects to, and unsubscribe this one.',
  ),
  answered(
    400,
    499,
    'it refuses the request, and SNS does not try such an answer again.',
    'Ask its owner what it refuses; its answer stands in the example.',
  ),
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `${shortName(failed.destination)} answered ${failed.statusCode}${tried(failed)}: it was down for longer than SNS retries.`,
      fix: { says: `Mend the endpoint; where it may be down for so long again, ${RETRY_LONGER}.` },
    }),
  },
  {
    diagnose: failed => ({
      says:
        `No answer came from ${shortName(failed.destination)}${tried(failed)}: its name does not resolve, nobody listens, ` +
        'TLS fails, or it takes longer than 15 seconds. SNS does not log which.',
      fix: {
        says: `Try it: curl --head --max-time 15 ${originOf(failed.destination)}. Mend what that says; where it may be down for so long again, ${RETRY_LONGER}.`,
      },
    }),
  },
];

/** A path may hold a secret, and is not needed to see whether somebody is there. */
function originOf(destination: string): string {
  return URL.canParse(destination) ? new URL(destination).origin : destination;
}
