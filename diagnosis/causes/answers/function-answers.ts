import { displayNameOf, parseArn } from '../../../policy/arn';
import type { Fix } from '../../fixes/fix';
import { allowInvoke } from '../../fixes/let-invoke';
import { letRun } from '../../fixes/let-run';
import { functionOf } from '../../inventory/look-ups';
import type { FailedDelivery } from '../failed-delivery';
import { fixAccess } from './access';
import type { AnswerRule } from './answer-rule';

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
