import { displayNameOf, parseArn } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import type { Fix } from '../fixes/fix';
import { allowInvoke, letRun } from '../fixes/grant-access';
import { functionOf } from '../inventory/look-ups';
import { type AnswerRule, diagnosedBy, type FailedDelivery, fixAccess, shortName } from './answer-rule';
import type { Diagnosis } from './cause';
import { QUEUE_ANSWERS } from './queue-answers';

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

function name({ destination }: FailedDelivery): string {
  return displayNameOf(destination);
}

function letIn({ destination, topicArn, inventory }: FailedDelivery): Fix {
  const forTopic = { service: 'sns.amazonaws.com', sourceArn: topicArn, sourceAccount: parseArn(topicArn)?.account };
  const grant = allowInvoke(destination, forTopic);
  const facts = functionOf(destination, inventory);
  if (!facts) return grant;
  const question = { action: 'lambda:InvokeFunction', resource: destination, ...forTopic };
  return fixAccess({ question, policy: facts.policy, grant });
}

/**
 * What Lambda answers SNS before a function runs: once it has taken the event (202), what becomes of it is Lambda's matter, and
 * its dead letters go elsewhere.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export const FUNCTION_ANSWERS: readonly AnswerRule[] = [
  {
    codes: ['ResourceNotFoundException'],
    diagnose: failed => ({
      says: `The function ${name(failed)} does not exist: it, or the version or alias, was deleted, and its subscription was not.`,
      fix: { says: 'Deploy the function anew under the same name, or unsubscribe it.' },
    }),
  },
  {
    codes: ['AccessDenied', 'AccessDeniedException'],
    diagnose: failed => ({
      says: `The policy of the function ${name(failed)} does not let SNS invoke it for the topic ${displayNameOf(failed.topicArn)}.`,
      fix: letIn(failed),
    }),
  },
  {
    statuses: [429, 429],
    diagnose: failed => {
      const facts = functionOf(failed.destination, failed.inventory);
      return {
        says: `Lambda took no event for the function ${name(failed)}: it was throttled for longer than SNS retries.`,
        fix: facts ? letRun(facts) : { says: 'Raise its concurrency.' },
      };
    },
  },
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `Lambda failed to take events for the function ${name(failed)} for longer than SNS retries.`,
      fix: { says: 'Nothing is left to mend once it is over: send the letters home.' },
    }),
  },
];

/** Of other protocols it is told what SNS itself makes of an answer. */
const ANSWERS: Readonly<Partial<Record<Protocol, readonly AnswerRule[]>>> = {
  http: ENDPOINT_ANSWERS,
  https: ENDPOINT_ANSWERS,
  lambda: FUNCTION_ANSWERS,
  sqs: QUEUE_ANSWERS,
};

/** What an answer to SNS means, and what to do about it. */
export function diagnoseDelivery(failed: FailedDelivery): Diagnosis {
  const { protocol } = failed;
  return diagnosedBy((protocol && ANSWERS[protocol]) ?? [], failed);
}
