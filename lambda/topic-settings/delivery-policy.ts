import { SetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';
import { propertiesOf, type Request } from './cloudformation-request';
import {
  type Acts,
  type CommonPorts,
  DONE,
  NEVER_SET,
  type Outcome,
  outcomeOfError,
  PERHAPS_SET,
  patiently,
} from './outcome';

/** Sets a topic's `DeliveryPolicy`. An empty text removes it, so that SNS's default applies. */
export type SetDeliveryPolicy = (topicArn: string, policy: string) => Promise<Outcome>;

export interface DeliveryPolicyPorts extends CommonPorts {
  readonly setDeliveryPolicy: SetDeliveryPolicy;
}

/** SNS's value for no policy. */
const NO_POLICY = '';

const RULES = {
  TopicArn: { rule: "must be a topic's ARN", pattern: /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]+$/ },
  /** The JSON of the topic's `DeliveryPolicy` attribute. */
  DeliveryPolicy: { rule: 'must be a JSON object, as text', pattern: /^\s*\{/ },
};

export const DELIVERY_POLICY_ACTS: Acts<DeliveryPolicyPorts> = { Create: put, Update: put, Delete: remove };

/** Sets the topic's policy to that of the template. */
async function put({ properties }: Request, ports: DeliveryPolicyPorts): Promise<Outcome> {
  const wanted = propertiesOf(properties, RULES);
  if (typeof wanted === 'string') return { kind: 'refused', reason: wanted };
  return patiently(() => ports.setDeliveryPolicy(wanted.TopicArn, wanted.DeliveryPolicy), ports);
}

/** Removes the topic's policy, so that SNS's default applies. A deleted topic needs nothing. */
async function remove(request: Request, ports: DeliveryPolicyPorts): Promise<Outcome> {
  const { properties, physicalId = '' } = request;
  if (physicalId.endsWith(NEVER_SET)) return DONE;
  const isRollback = physicalId.endsWith(PERHAPS_SET);
  const wanted = propertiesOf(properties, RULES);
  if (typeof wanted === 'string') return isRollback ? DONE : { kind: 'refused', reason: wanted };
  const reset = () => ports.setDeliveryPolicy(wanted.TopicArn, NO_POLICY);
  const outcome = isRollback ? await reset() : await patiently(reset, ports);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return DONE;
  if (!isRollback) return outcome;
  const { TopicArn: topicArn, DeliveryPolicy: deliveryPolicy } = wanted;
  const message = 'the topic may keep the policy';
  ports.log({ level: 'WARN', message, topicArn, deliveryPolicy, reason: outcome.reason });
  return DONE;
}

const KINDS = {
  NotFound: 'gone',
  NotFoundException: 'gone',
  AuthorizationError: 'denied',
  AuthorizationErrorException: 'denied',
} as const;

/**
 * Returns a function that sets a topic's delivery policy.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html
 */
export function deliveryPolicySetter(client: SNSClient): SetDeliveryPolicy {
  return async (topicArn, policy) => {
    const input = { TopicArn: topicArn, AttributeName: 'DeliveryPolicy', AttributeValue: policy };
    try {
      await client.send(new SetTopicAttributesCommand(input));
      return DONE;
    } catch (error) {
      return outcomeOfError('SNS', error, KINDS);
    }
  };
}
