import { displayNameOf, parseArn } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import type { Fix } from '../fixes/fix';
import { allowInvoke, functionGuard } from '../fixes/grant-access';
import { functionOf } from '../inventory/look-ups';
import { type AnswerRule, diagnosedBy, type FailedDelivery, fixAccess, shortName } from './answer-rule';
import type { Diagnosis } from './cause';
import { QUEUE_ANSWERS } from './queue-answers';
import { STREAM_ANSWERS } from './stream-answers';

/** A rule for an endpoint's answer that only its owner can fix. */
function answered(from: number, to: number, what: string, fix: string): AnswerRule {
  return {
    statuses: [from, to],
    diagnose: ({ destination, statusCode }): Diagnosis => ({
      says: `${shortName(destination)} answered ${statusCode}: ${what}`,
      fix: { says: fix },
    }),
  };
}

/** The number of attempts, if there was more than one. */
function tried({ attempts = 1 }: FailedDelivery): string {
  return attempts > 1 ? `, ${attempts} attempts in all` : '';
}

const RETRY_LONGER =
  'give the subscription a delivery policy that retries for longer, or put a relay before it, which retries for days';

/**
 * Answers of HTTP and HTTPS endpoints. SNS retries 429, 5xx and timeouts by the delivery policy, and never retries
 * other answers.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
const ENDPOINT_ANSWERS: readonly AnswerRule[] = [
  answered(
    401,
    401,
    'it requires credentials that SNS does not send, or no longer accepts them.',
    'Subscribe the URL with valid credentials, or ask its owner to accept requests from SNS.',
  ),
  answered(
    403,
    403,
    'it refuses SNS, and SNS does not retry this answer.',
    'Ask its owner to accept requests from SNS: a firewall, an allow list or a signature check refuses them.',
  ),
  answered(
    404,
    404,
    'nothing exists at this path, and SNS does not retry this answer.',
    'Ask its owner to restore the path, or subscribe its new URL and unsubscribe this one.',
  ),
  answered(410, 410, 'it is gone for good.', 'Subscribe its new URL, if there is one, and unsubscribe this one.'),
  answered(
    413,
    413,
    'the message is larger than it accepts.',
    'Ask its owner to accept larger requests: an SNS envelope can be larger than 256 KiB.',
  ),
  answered(
    415,
    415,
    'it does not accept the content type that SNS sends.',
    'Ask its owner to accept text/plain, or set headerContentType in the delivery policy of the subscription.',
  ),
  {
    statuses: [429, 429],
    diagnose: failed => ({
      says: `${shortName(failed.destination)} answered 429${tried(failed)}: it asks for fewer requests, and SNS has used up its retries.`,
      fix: { says: `Set throttlePolicy.maxReceivesPerSecond in the delivery policy, or ${RETRY_LONGER}.` },
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
    'it refuses the request, and SNS does not retry this answer.',
    'Ask its owner why it refuses the request; the example contains its answer.',
  ),
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `${shortName(failed.destination)} answered ${failed.statusCode}${tried(failed)}: it was down for longer than SNS retries.`,
      fix: { says: `Repair the endpoint. If it may be down for so long again, ${RETRY_LONGER}.` },
    }),
  },
  {
    diagnose: failed => ({
      says:
        `No answer came from ${shortName(failed.destination)}${tried(failed)}: its name does not resolve, nothing listens, ` +
        'TLS fails, or it takes longer than 15 seconds. SNS does not log which.',
      fix: {
        says: `Try it: curl --head --max-time 15 ${originOf(failed.destination)}. Fix what that reports. If it may be down for so long again, ${RETRY_LONGER}.`,
      },
    }),
  },
];

/** A path may contain a secret, and is not needed to see whether the server answers. */
function originOf(destination: string): string {
  return URL.canParse(destination) ? new URL(destination).origin : destination;
}

function name({ destination }: FailedDelivery): string {
  return displayNameOf(destination);
}

function allowInvocation({ destination, topicArn, inventory }: FailedDelivery): Fix {
  const forTopic = { service: 'sns.amazonaws.com', sourceArn: topicArn, sourceAccount: parseArn(topicArn)?.account };
  const grant = allowInvoke(destination, forTopic);
  const facts = functionOf(destination, inventory);
  if (!facts) return grant;
  const question = { action: 'lambda:InvokeFunction', resource: destination, ...forTopic };
  return fixAccess({ asked: [question], guard: functionGuard(facts), grant });
}

/**
 * Lambda's answers to SNS before a function runs. Once Lambda has accepted the event (202), failures are Lambda's, and
 * their dead letters go elsewhere.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sns.html
 */
export const FUNCTION_ANSWERS: readonly AnswerRule[] = [
  {
    codes: ['ResourceNotFoundException'],
    diagnose: failed => ({
      says: `The function ${name(failed)} does not exist: it, or the version or alias, was deleted, but its subscription was not.`,
      fix: { says: 'Deploy the function again under the same name, or unsubscribe it.' },
    }),
  },
  {
    id: 'function-denies-sns',
    codes: ['AccessDenied', 'AccessDeniedException'],
    diagnose: failed => ({
      says: `The policy of the function ${name(failed)} does not allow SNS to invoke it for the topic ${displayNameOf(failed.topicArn)}.`,
      fix: allowInvocation(failed),
    }),
  },
  {
    statuses: [429, 429],
    diagnose: failed => ({
      says: `Lambda accepted no event for the function ${name(failed)}: it was throttled for longer than SNS retries.`,
      // Lambda accepts events whatever concurrency is reserved: this is about its rate of requests.
      fix: {
        says: 'No fix is needed once this is over: redrive the messages. If it comes back, ask AWS for more concurrency.',
      },
    }),
  },
  {
    statuses: [500, 599],
    diagnose: failed => ({
      says: `Lambda failed to accept events for the function ${name(failed)} for longer than SNS retries.`,
      fix: { says: 'No fix is needed once this is over: redrive the messages.' },
    }),
  },
];

const ANSWERS: Readonly<Partial<Record<Protocol, readonly AnswerRule[]>>> = {
  http: ENDPOINT_ANSWERS,
  https: ENDPOINT_ANSWERS,
  firehose: STREAM_ANSWERS,
  lambda: FUNCTION_ANSWERS,
  sqs: QUEUE_ANSWERS,
};

/** Explains an answer to SNS, and how to fix its cause. */
export function diagnoseDelivery(failed: FailedDelivery): Diagnosis {
  const { protocol } = failed;
  return diagnosedBy((protocol && ANSWERS[protocol]) ?? [], failed);
}
