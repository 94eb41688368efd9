import { SetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Wait } from '../../mover/clock';
import { errorOf, type Log } from '../shared/log';
import {
  type CloudFormationAnswer,
  type Request,
  type Respond,
  readProperties,
  readRequest,
} from './cloudformation-request';

/** What the handler needs. */
export interface TopicPolicyPorts {
  readonly setDeliveryPolicy: SetDeliveryPolicy;
  readonly respond: Respond;
  readonly wait: Wait;
  readonly log: Log;
}

/** Waits before further tries: a permission that CloudFormation has just created takes seconds to reach SNS. */
const PERMISSION_DELAYS_MS = [2_000, 4_000, 8_000, 16_000];

/**
 * Ends of the physical id of a resource whose `Create` failed. CloudFormation then deletes that resource, which must not block the
 * rollback. If SNS refused the policy, there is nothing to undo. If SNS may have set it, the handler tries to remove it.
 */
const NEVER_SET = ':never-set';
const PERHAPS_SET = ':perhaps-set';

/** SNS's value for no policy. */
const NO_POLICY = '';

const DONE: PolicyOutcome = { kind: 'done' };

/**
 * Sets, changes and removes a topic's delivery policy for CloudFormation. It answers every request. The same request may come
 * twice, with the same effect.
 * @throws NotARequestError if the event is not a request, and AnswerNotSentError if the answer could not be sent
 */
export function topicDeliveryPolicyHandler(ports: TopicPolicyPorts): (event: unknown) => Promise<void> {
  return async event => {
    const request = readRequest(event);
    const { requestType, requestId, logicalId, properties } = request;
    const asked = { requestType, requestId, logicalId, topicArn: properties['TopicArn'] };
    const answer = answerTo(request, await outcomeOf(request, ports));
    const { status, reason, physicalId } = answer;
    ports.log({ level: status === 'SUCCESS' ? 'INFO' : 'ERROR', message: status, ...asked, physicalId, reason });
    await ports.respond(request, answer);
  };
}

async function outcomeOf(request: Request, ports: TopicPolicyPorts): Promise<PolicyOutcome> {
  const { requestType } = request;
  const act = Object.hasOwn(ACTS, requestType) ? ACTS[requestType] : undefined;
  if (!act) return { kind: 'refused', reason: `RequestType must be Create, Update or Delete, got ${requestType}` };
  try {
    return await act(request, ports);
  } catch (error) {
    return { kind: 'unknown', reason: errorOf(error).message };
  }
}

type Act = (request: Request, ports: TopicPolicyPorts) => Promise<PolicyOutcome>;

const ACTS: Readonly<Record<string, Act>> = { Create: put, Update: put, Delete: remove };
async function withNewPermission(
  set: () => Promise<PolicyOutcome>,
  { wait }: TopicPolicyPorts,
): Promise<PolicyOutcome> {
  let outcome = await set();
  for (const delayMs of PERMISSION_DELAYS_MS) {
    if (outcome.kind !== 'denied') break;
    await wait(delayMs);
    outcome = await set();
  }
  return outcome;
}

/** Sets the topic's policy to that of the template. */
async function put({ properties }: Request, ports: TopicPolicyPorts): Promise<PolicyOutcome> {
  const wanted = readProperties(properties);
  if (typeof wanted === 'string') return { kind: 'refused', reason: wanted };
  return withNewPermission(() => ports.setDeliveryPolicy(wanted.topicArn, wanted.deliveryPolicy), ports);
}

/** Removes the topic's policy, so that SNS's default applies. A deleted topic needs nothing. */
async function remove(request: Request, ports: TopicPolicyPorts): Promise<PolicyOutcome> {
  const { properties, physicalId = '' } = request;
  if (physicalId.endsWith(NEVER_SET)) return DONE;
  const isRollback = physicalId.endsWith(PERHAPS_SET);
  const wanted = readProperties(properties);
  if (typeof wanted === 'string') return isRollback ? DONE : { kind: 'refused', reason: wanted };
  const reset = () => ports.setDeliveryPolicy(wanted.topicArn, NO_POLICY);
  const outcome = isRollback ? await reset() : await withNewPermission(reset, ports);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return DONE;
  if (!isRollback) return outcome;
  ports.log({ level: 'WARN', message: 'the topic may keep the policy', ...wanted, reason: outcome.reason });
  return DONE;
}

/**
 * Keeps the physical id, so that replacing the topic is an update. Then the old policy goes with the old topic, to which the
 * function no longer has access.
 */
function answerTo({ physicalId, logicalId }: Request, outcome: PolicyOutcome): CloudFormationAnswer {
  if (outcome.kind === 'done') return { status: 'SUCCESS', physicalId: physicalId ?? logicalId };
  const failedId = `${logicalId}${outcome.kind === 'unknown' ? PERHAPS_SET : NEVER_SET}`;
  return { status: 'FAILED', physicalId: physicalId ?? failedId, reason: outcome.reason };
}
/** The outcome of setting a topic's delivery policy. */
export type PolicyOutcome =
  | { readonly kind: 'done' }
  /** SNS rejected the call, and nothing has changed. */
  | { readonly kind: 'gone' | 'denied' | 'refused'; readonly reason: string }
  /** SNS may have carried it out. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Sets a topic's `DeliveryPolicy`. An empty text removes it, so that SNS's default applies. */
export type SetDeliveryPolicy = (topicArn: string, policy: string) => Promise<PolicyOutcome>;

const KINDS: Readonly<Record<string, 'gone' | 'denied'>> = {
  NotFound: 'gone',
  NotFoundException: 'gone',
  AuthorizationError: 'denied',
  AuthorizationErrorException: 'denied',
};

function outcomeOfError(error: unknown): PolicyOutcome {
  const { name, message, $metadata } = error as Partial<{ name: string; message: string; $metadata: Metadata }>;
  const { httpStatusCode = 0, requestId } = $metadata ?? {};
  const reason = `${name}: ${message}${requestId ? ` (SNS request ${requestId})` : ''}`;
  if (httpStatusCode < 400 || httpStatusCode >= 500) return { kind: 'unknown', reason };
  return { kind: KINDS[String(name)] ?? 'refused', reason };
}

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}

/**
 * Returns a function that sets a topic's delivery policy.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html
 */
export function deliveryPolicySetter(client: SNSClient): SetDeliveryPolicy {
  return async (topicArn, policy) => {
    const input = { TopicArn: topicArn, AttributeName: 'DeliveryPolicy', AttributeValue: policy };
    try {
      await client.send(new SetTopicAttributesCommand(input));
      return { kind: 'done' };
    } catch (error) {
      return outcomeOfError(error);
    }
  };
}
